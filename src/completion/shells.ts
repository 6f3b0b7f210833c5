/** The shells that svc can be completed in, and the name of each one's script. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** File names as each shell looks for them. */
export const scriptNames: Readonly<Record<Shell, string>> = {
  bash: 'svc.bash',
  zsh: '_svc',
  fish: 'svc.fish',
  powershell: 'svc.ps1',
};
