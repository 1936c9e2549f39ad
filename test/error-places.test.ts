import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parseDocument } from '@data-designer/config';
import { DataDesignerError, isFailure, messageOf } from '@data-designer/core';
// From source, as are the documents it is given: the published package knows its own class of floats only.
import { DataDesigner, DataDesignerConfigBuilder } from '../packages/data-designer/src/index.ts';
import { failureReport, printReported, type ReportedViolation } from '../packages/declaration/src/failure-report.ts';
import { BAD_CONFIGS } from './bad-configs.ts';

const folder = fileURLToPath(new URL('conformance/data/configs', import.meta.url));
const files = readdirSync(folder).filter((file) => /\.(?:ya?ml|json)$/.test(file));

const designer = new DataDesigner();
afterAll(() => designer[Symbol.asyncDispose]());

/** The findings about the text of a config, as `validate --json` has them. */
async function findings(text: string, path: string): Promise<readonly ReportedViolation[]> {
  try {
    const document = parseDocument(text, { path, json: path.endsWith('.json') });
    return (await designer.check({ document, source: path, folder })).violations;
  } catch (thrown) {
    if (!isFailure(thrown, 'config/unreadable')) throw thrown;
    return failureReport(thrown).violations;
  }
}

/** The message with which a run of a config ends before its first request. */
async function messageOfRun(text: string, path: string): Promise<string> {
  try {
    await designer.validate({ document: parseDocument(text, { path, json: true }), source: path, folder });
  } catch (thrown) {
    return messageOf(thrown);
  }
  throw new Error('the config has no mistake');
}

/** What a finding lacks to say where it is and what to do, as data or as text. */
function lacks(finding: ReportedViolation, file: string): string[] {
  const { line, column, path, message, remedy } = finding;
  const text = printReported(finding);
  // Nothing in an empty text has a line.
  const hasPlace = (path === '' && line === null) || text.startsWith(`${file}:${line}:${column}: ${path}`);
  const rules: Readonly<Record<string, boolean>> = {
    file: finding.file === file,
    place: hasPlace,
    message: /^\S.*[.?]$/s.test(message),
    remedy: /^[A-Z].*[^.?][.?]$/s.test(remedy) && text.includes(`${message} ${remedy}`),
  };
  return Object.keys(rules).flatMap((rule) => (rules[rule] ? [] : [`${rule}: ${text} [${remedy}]`]));
}

test.each(files)('every finding about %s has file, place and remedy', { tags: 'long' }, async (file) => {
  const found = await findings(readFileSync(join(folder, file), 'utf8'), file);
  expect(found.flatMap((finding) => lacks(finding, file))).toEqual([]);
});

test.each(BAD_CONFIGS)('%s has file, place and remedy', async (_, text, said) => {
  const found = await findings(text, 'config.json');
  const message = await messageOfRun(text, 'config.json');
  for (const words of said) expect(message).toContain(words);
  expect(found.filter(({ level }) => level === 'ERROR')).not.toEqual([]);
  expect(found.flatMap((finding) => lacks(finding, 'config.json'))).toEqual([]);
});

// Only a run knows the providers.
const WITHOUT_PROVIDERS = BAD_CONFIGS.filter(([name]) => name !== 'an unknown provider');

test.each(WITHOUT_PROVIDERS)('%s has file, place and remedy if a program reads the text', async (_, text) => {
  const failure: unknown = await DataDesignerConfigBuilder.fromConfig(text)
    .then((builder) => builder.build())
    .catch((thrown: unknown) => thrown);
  const { violations } = failureReport(DataDesignerError.fromUnknown(failure));
  expect(violations).not.toEqual([]);
  expect(violations.flatMap((finding) => lacks(finding, finding.file ?? 'no file'))).toEqual([]);
});
