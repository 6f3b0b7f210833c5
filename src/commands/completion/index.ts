import { command } from '../../command.js';

export const completion = command('completion', 'print the completion script for a shell', {
  heading: 'Tools',
  description:
    'Print the script with which a shell completes the commands, options and values of svc.\nThe examples install it; it takes effect in a new shell.',
  args: [
    {
      name: 'shell',
      summary: 'the shell',
      required: true,
      choices: ['bash', 'zsh', 'fish', 'powershell'],
    },
  ],
  examples: [
    "echo 'source <(svc completion bash)' >> ~/.bashrc # bash",
    "echo 'source <(svc completion zsh)' >> ~/.zshrc # zsh, after compinit",
    'svc completion fish > ~/.config/fish/completions/svc.fish # fish',
    "Add-Content $PROFILE 'svc completion powershell | Out-String | iex' # PowerShell",
  ],
});

export const shellInit = command('shell-init', 'print a script that sets up a shell for svc', {
  heading: 'Tools',
  description:
    'Print a script with completion, and with Alt-e: it replaces the words on the command line with the command that `svc do` makes of them. Nothing is run. The examples install it; it takes effect in a new shell.',
  args: [{ name: 'shell', summary: 'the shell', required: true, choices: ['bash', 'zsh', 'fish'] }],
  examples: [
    `echo 'eval "$(svc shell-init bash)"' >> ~/.bashrc # bash 4 and newer`,
    `echo 'eval "$(svc shell-init zsh)"' >> ~/.zshrc # zsh`,
    "echo 'svc shell-init fish | source' >> ~/.config/fish/config.fish # fish",
  ],
});
