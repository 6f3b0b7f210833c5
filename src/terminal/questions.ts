/** The prompts in use; the library's others bring a text editor's encodings with them. */
export { checkbox, confirm, input, password, select } from '@inquirer/prompts';
