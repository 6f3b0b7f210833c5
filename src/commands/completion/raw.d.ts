/** A file's text, put into the bundle by the loaders of scripts/build.mjs. */
declare module '*?raw' {
  const text: string;
  export default text;
}
