import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist', 'completions', 'node_modules', '.cache'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts', '*.config.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Types are read, not asserted: parse at the edges instead.
      '@typescript-eslint/consistent-type-assertions': [
        'error',
        { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // `void | Promise<void>` says that a promise means wait, and nothing means go on.
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/dot-notation': 'off',
      'max-lines': ['error', { max: 320, skipBlankLines: false }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: false, skipComments: false }],
      'max-params': ['error', 4],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ExportNamedDeclaration > TSTypeAliasDeclaration TSTypeReference[typeName.name="ReturnType"]',
          message: 'What others use is an interface or a class that can be read.',
        },
      ],
      // Only terminal/ writes, and only cli/process.ts knows the process.
      'no-console': 'error',
      'no-restricted-globals': ['error', 'process'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Clocks are injected (lib/clock.ts).' },
        { object: 'Math', property: 'random', message: 'Chance is injected (lib/clock.ts).' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    // expect.any() and what a peer's JSON holds are of no type.
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/cli/process.ts', 'src/lib/clock.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
);
