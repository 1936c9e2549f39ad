import { ParseFailure } from '@data-designer/core';
import { readFences } from '../answer/fences.ts';
import { lastUnfencedCode } from '../answer/unfenced-code.ts';
import type { Recipe } from '../llm-column.ts';

/** The languages of code columns; SQL names its dialect after the colon. */
export const CODE_LANGUAGES = [
  'bash',
  'c',
  'cobol',
  'cpp',
  'csharp',
  'go',
  'java',
  'javascript',
  'kotlin',
  'python',
  'ruby',
  'rust',
  'scala',
  'swift',
  'typescript',
  'sql:sqlite',
  'sql:tsql',
  'sql:bigquery',
  'sql:mysql',
  'sql:postgres',
  'sql:ansi',
] as const;

/** A language, with its dialect for SQL. */
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/**
 * Asks for code in a fence and reads the last block, labelled with the language or not at all; without fences, unfenced
 * code.
 */
export function codeRecipe(codeLang: CodeLanguage): Recipe<string> {
  const [language = ''] = codeLang.split(':');
  return { instructions: instructions(language), parse: (answer) => readCode(answer, language) };
}

function instructions(language: string): string {
  return `Answer with code:
- Write it in ${language}.
- Keep to the syntax and the good practice that are usual in ${language}.
- Put it into a Markdown code fence that names the language: it begins with \`\`\`${language} and ends with \`\`\`.
- Give one such block only.`;
}

function readCode(answer: string, language: string): string {
  const { fences, outside } = readFences(answer.replaceAll(/\r\n?/g, '\n'));
  const block = fences.at(-1);
  const code = block?.body ?? lastUnfencedCode(outside);
  if (code === undefined) {
    throw new ParseFailure(`There is no code block in the answer. Answer again with one \`\`\`${language} block.`);
  }
  if (block && block.label !== '' && block.label !== language) {
    throw new ParseFailure(
      `The code block is labelled '${block.label}', but ${language} was asked for. Answer again with one \`\`\`${language} block.`,
    );
  }
  return code.trim();
}
