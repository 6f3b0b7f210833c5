import { command, type Loaded } from '../../cli/declaration.js';

export const completion = command('completion', 'print the script that completes svc in a shell', {
  heading: 'Tools',
  description:
    'Print the script that makes a shell complete the commands, options and values of svc.\nThe lines below install it; a new shell has it.',
  args: [
    {
      name: 'shell',
      summary: 'the shell to complete in',
      required: true,
      choices: ['bash', 'zsh', 'fish', 'powershell'],
    },
  ],
  examples: [
    "echo 'source <(svc completion bash)' >> ~/.bashrc # bash",
    "echo 'source <(svc completion zsh)' >> ~/.zshrc # zsh, after compinit",
    'svc completion fish > ~/.config/fish/completions/svc.fish # fish',
    "Add-Content $PROFILE 'svc completion powershell | Out-String | Invoke-Expression' # PowerShell",
  ],
  load: (): Promise<Loaded> => import('./completion.js'),
});
