/** Only the prompts in use: the others load a text editor's encodings. */
export { checkbox, confirm, input, password, select } from '@inquirer/prompts';
