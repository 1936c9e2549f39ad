import { expect, test } from 'vitest';
import { DataDesignerError, FAILURE_CODES, type FailureCode, type FailureData } from '@data-designer/core';
import { CAUSES } from '../../docs/.vitepress/reference/error-causes/error-causes.ts';
import { describeEvent } from '../../packages/cli/src/progress/describe-event.ts';
import { describeJoinEvent } from '../../packages/cli/src/progress/describe-join-event.ts';
import { DataDesigner } from '../../packages/designer/src/data-designer.ts';
import { parseYaml } from '../../packages/config/src/yaml.ts';
import { BAD_CONFIGS } from './bad-configs.ts';
import { EXAMPLE_EVENTS, EXAMPLE_JOIN_EVENTS } from './example-events.ts';

/** After a change on purpose: `npx vitest run test/messages -u`. */
const SNAPSHOT = 'messages.txt';

/** A failure of a code with several forms. */
function variant<Code extends FailureCode>(code: Code, data: FailureData<Code>): [FailureCode, unknown] {
  return [code, data];
}

const model = 'acme-7b';
const reason = 'the upstream is overloaded';

/** Further forms of messages, beside the example of each code. */
const VARIANTS: readonly (readonly [FailureCode, unknown])[] = [
  variant('model/rate-limited', { model, reason, forAll: true }),
  variant('model/rate-limited', { model, reason, forAll: true, askedUntil: '2026-01-01T01:00:00.000Z' }),
  variant('model/timed-out', { model, timeoutMs: 60_000, deadlineMs: 300_000 }),
  variant('model/timed-out', { model, timeoutMs: 60_000, forAll: true }),
  variant('model/unreachable', { model, reason: 'no server is listening at this address', forAll: true }),
  variant('model/unreachable', { model, reason: 'other side closed', status: 200, forAll: true }),
  variant('model/unreachable', { model, reason: 'it speaks http and not https', speaksHttp: true }),
  variant('model/server-error', { model, status: 500, reason, forAll: true }),
  variant('model/unauthorized', { model, status: 401, reason, sent: "the model name 'acme-7b' and no key" }),
  variant('model/gave-up', { model, reason, corrections: 3, restarts: 1, truncation: 'max-tokens' }),
  variant('model/gave-up', { model, reason, corrections: 3, restarts: 1, truncation: 'context-window' }),
  variant('validator/failed', { column: 'check', server: 'https://example.org', reason, forAll: true }),
  variant('dataset/other-version', { path: 'artifacts/facts/run.json', version: 3, known: 1, isOfDevelopment: true }),
  variant('dataset/no-processor', { path: 'artifacts/facts', processor: 'chat', known: [] }),
];

const designer = new DataDesigner();

/** The mistakes in a config as lines. */
async function mistakesIn(text: string): Promise<string> {
  const { violations } = await designer.check({ document: parseYaml(text), source: 'the config' });
  return violations
    .map(({ level, path, message, remedy }) =>
      `${level}: ${path === '' ? '' : `${path}: `}${message} ${remedy}`.trimEnd(),
    )
    .join('\n')
    .replaceAll(process.cwd(), '<folder>');
}

test('messages.txt holds every error, mistake and event line: after a change on purpose, run `npx vitest run test/messages -u`', async () => {
  const examples = FAILURE_CODES.map((code) => [code, CAUSES[code]?.example] as const);
  const errors = [...examples, ...VARIANTS]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([code, data]) => `[${code}]\n${new DataDesignerError(code, data as never).message}`);
  const mistakes: string[] = [];
  for (const [title, text] of Object.entries(BAD_CONFIGS)) {
    const found = await mistakesIn(text);
    expect(found, `${title} is a mistake`).not.toBe('');
    mistakes.push(`[${title}]\n${found}`);
  }
  const events = Object.values(EXAMPLE_EVENTS)
    .flat()
    .map((event) => describeEvent(event).replace(/until [\d:]+(?: [AP]M)?/, 'until <time>'));
  const joins = EXAMPLE_JOIN_EVENTS.map((event) => describeJoinEvent(event, '/shared/qa'));
  const parts = ['# Errors', ...errors, '# Mistakes in configs', ...mistakes, '# Events', ...events];
  parts.push('# Events of a machine that joins', ...joins);
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(SNAPSHOT);
});
