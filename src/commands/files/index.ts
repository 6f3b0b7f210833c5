import { command, group, text } from '../../command.js';

export const upload = command('upload', 'upload a file and print its id', {
  description:
    'Upload a source file for media jobs and print its id, for example for `--opt image_file_id=ID`. `svc generate --input FILE` does both.',
  args: [{ name: 'file', summary: 'the file, or - for stdin', required: true, completes: 'file' }],
  options: { name: text('NAME', 'the name of the file') },
  examples: ['id=$(svc files upload photo.jpg) # once, for several jobs'],
  endpoints: ['files.upload'],
});

export const files = group('Media', 'files', 'source files for media jobs', [upload]);
