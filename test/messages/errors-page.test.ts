import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { runCommand } from '../command-line.ts';
import { SHOWN, type ShownError } from './shown-errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'errors-page-'));
let server: AnsweringServer;

beforeAll(async () => {
  server = await openAnsweringServer((body, response) => {
    const { messages = [] } = JSON.parse(body) as { messages?: { content: string }[] };
    const prompt = messages.at(-1)?.content ?? '';
    if (prompt === 'none') return reply(response, { choices: [] });
    const [, status, message] = /^(\d{3}) (.*)/.exec(prompt) ?? [];
    if (status) return reply(response, { error: { message } }, { status: Number(status) });
    return reply(response, completion('{ "age": "x" }'));
  });
});

afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** What a command prints, with the paths and the address of the page. */
async function printed({ files, first, args }: ShownError): Promise<string> {
  const cwd = mkdtempSync(join(folder, 'case-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text.replaceAll('ORIGIN', server.origin));
  }
  const env = { DATA_DESIGNER_HOME: join(cwd, 'home'), ACME_KEY: 'sk-acme', OPENAI_API_KEY: undefined };
  if (first) await runCommand(first, { cwd, env });
  const { stdout, stderr } = await runCommand(args, { cwd, env });
  return `${stderr}${stdout}`
    .replaceAll(`file://${cwd}/`, './')
    .replaceAll(`${cwd}/`, '')
    .replaceAll(server.origin, 'http://localhost:8000');
}

const page = new Map(
  [...readFileSync('docs/reference/errors.md', 'utf8').matchAll(/^### `(.*)`\n\n```text\n([^]*?)\n```/gm)].map(
    ([, code = '', message = '']) => [code, message],
  ),
);

test.each(Object.entries(SHOWN))(
  'the errors page shows what a command prints for %s',
  { tags: 'long', timeout: 60_000 },
  async (code, shown) => {
    const message = page.get(code);
    expect(message).toBeDefined();
    expect(await printed(shown)).toContain(message);
  },
);

test('where no row is accepted, the most frequent reason is that of some of them', async () => {
  const args = ['select', 'artifacts/facts', '--where', "topic == 'bees'"];
  expect(await printed({ ...SHOWN['select/too-few']!, args })).toContain("(6 of them: The condition 'where' is false)");
  const none = SHOWN['select/exhausted']!;
  // Values that are listed would be refused before the run.
  const shout = "  - { name: shout, column_type: expression, expr: '{{ topic | upper }}' }\n";
  const text = none.files['facts.yaml']!.replace("topic == 'birds'", "shout == 'BEES'");
  const files = { 'facts.yaml': `${text}${shout}` };
  expect(await printed({ ...none, files })).toContain("(6 of them: The condition 'where' is false)");
});
