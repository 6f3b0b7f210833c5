// What is bundled into dist/, and its licenses: most ask that their text goes along.
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a package contains that its own license does not mention. */
export const within = {
  'jq-wasm':
    'It holds jq (https://jqlang.org), Copyright (C) 2012 Stephen Dolan, under the MIT License, and\n' +
    'with it Oniguruma (https://github.com/kkos/oniguruma), Copyright (c) 2002-2021 K.Kosako, under the\n' +
    'BSD 2-Clause License, and decNumber, Copyright (c) 1995-2005 International Business Machines\n' +
    'Corporation and others, under the ICU License; their texts are in the file COPYING of jq.',
  'wasm-media-encoders':
    'It holds the MP3 encoder LAME (https://lame.sourceforge.io), which is under the GNU Lesser\n' +
    'General Public License; its source, and how to build it into this package, are at\n' +
    'https://github.com/arseneyr/wasm-media-encoders.',
};

/**
 * @param manifest of svc, whose list `bundled` must be what of its packages a bundle has.
 * @param inputs paths of bundled files, from the root.
 * @throws where it is not
 */
export function assertBundled({ bundled, devDependencies }, inputs, root) {
  const has = (name) => inputs.some((path) => path.includes(`node_modules/${name}/`));
  // Of a package that only passes others on, nothing is left.
  const isIn = (name) => has(name) || dependenciesOf(name, root).some(has);
  const wrong = [
    ...Object.keys(devDependencies).filter((name) => has(name) && !bundled.includes(name)),
    ...bundled.filter((name) => !(name in devDependencies) || !isIn(name)),
  ];
  if (wrong.length > 0) throw new Error(`package.json: "bundled" is wrong about ${wrong.join()}`);
}

function dependenciesOf(name, root) {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return Object.keys(JSON.parse(text).dependencies ?? {});
}

/**
 * @param root where node_modules is.
 * @param inputs paths of bundled files, from the root.
 * @returns one text with a section for each package, in alphabetical order.
 */
export async function licensesOf(root, inputs) {
  const sections = await Promise.all(
    packagesOf(inputs).map((folder) => section(join(root, folder))),
  );
  return [...sections.sort(), `The terms of the MIT License\n\n${mitTerms}\n`].join(
    `\n${'-'.repeat(72)}\n\n`,
  );
}

/** @returns the folders of the packages that files are in */
export function packagesOf(inputs) {
  const all = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(all)];
}

/** The words that most packages repeat stand once, at the end. */
const mitTerms = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
/** The same words, wherever their lines end. */
const mitPattern = new RegExp(
  mitTerms
    .replace(/[.()/]/g, '\\$&')
    .replace(/"/g, '["\'`“”]+')
    .replace(/\s+/g, '\\s+'),
);

async function section(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) =>
    /^(licen[cs]e|copying|notice)/i.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, within[name], ...texts]
    .filter((text) => text !== undefined)
    .map(
      (text) =>
        `${text.replace(mitPattern, '(the terms of the MIT License, at the end)').trim()}\n`,
    )
    .join('\n');
}
