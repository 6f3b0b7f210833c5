/** Which svc this is, whether it is as released, and how to get a newer one. */
import { command, flag, text } from '../../command.js';

export const update = command('update', 'print the command that updates svc', {
  heading: 'Support',
  description:
    'Print the command that updates this copy of svc, however it was installed. Nothing is run and nothing is sent: svc never looks for new versions.',
  examples: [
    'svc update # the command to type',
    'svc update --json | jq -r .by # how svc was installed',
  ],
});

export const version = command('version', 'print the version, or verify svc against its release', {
  heading: 'Support',
  description:
    'Print the version. With --verify, compare svc with SHA256SUMS of its release: the single binary, or the files of the npm package in bin/ and dist/. svc exits with 0 if all are as released, and with 13 if not. What svc says of itself is worth no more than where it is from: `sha256sum` says the same of a binary.',
  options: {
    verify: flag('compare svc with the sums of its release'),
    sums: text('FILE', 'SHA256SUMS of the release, as a file or a URL'),
  },
  needs: [['--sums', '--verify']],
  examples: [
    'svc version # the same as svc --version',
    'svc version --verify # with SHA256SUMS from the address of the release',
    'svc version --verify --sums SHA256SUMS # with a file: nothing is fetched',
  ],
});
