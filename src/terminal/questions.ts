/** The kinds of question that are asked; the library has more, which bring a text editor's encodings. */
export { checkbox, confirm, input, password, select } from '@inquirer/prompts';
