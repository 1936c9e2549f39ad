import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openViewer } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secretForms } from '../packages/core/test/secret-forms.ts';
import { connectOfficial } from '../packages/mcp/test/official-client.ts';
import { completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { program, runCommand } from './command-line.ts';

const MODEL_KEY = 'sk/"q\\uote+/ +& <k>==0z';
const HEADER_KEY = 'header+key/"of"=the tenant';
const TOOL_KEY = 'töol-ключ "+/\\"= end🔑';
const SECRETS = [MODEL_KEY, HEADER_KEY, TOOL_KEY];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The forms of all secrets that a text holds; of base64 the middle, which does not depend on what stands around it. */
function leaksIn(text: string): string[] {
  return SECRETS.flatMap((secret) =>
    Object.entries(secretForms).flatMap(([name, encode]) => {
      const form = name.startsWith('base64') ? encode(secret).slice(8, -8) : encode(secret);
      return text.includes(form) ? [`${name}: ${form}`] : [];
    }),
  );
}

const everyForm = (secrets: readonly string[]) =>
  secrets.flatMap((secret) => Object.values(secretForms).map((encode) => encode(secret)));

/** What the server does to a row, by the first word of its prompt. */
const KINDS = ['refused', 'page', 'error200', 'shape', 'nested'] as const;

const CALL = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'leak', arguments: '{}' } }],
};

/** A model server that gives its keys away, in a form of its own for each kind of row. */
function openLeakyServer(told: string[], { refusesAll = false } = {}) {
  return openAnsweringServer((body, response, { headers }) => {
    const { messages, tools } = JSON.parse(body) as { messages: { role: string; content: unknown }[]; tools?: unknown };
    const { role, content } = messages.at(-1) ?? {};
    const bare = String(headers.authorization).slice('Bearer '.length);
    const forms = everyForm([bare, String(headers['x-tenant'])]).join(' | ');
    told.push(body);
    if (refusesAll) {
      const shown = { location: `/?key=${encodeURIComponent(bare)}`, 'www-authenticate': `Bearer ${encodeURI(bare)}` };
      return reply(response, { error: { message: forms } }, { status: 401, headers: shown });
    }
    if (tools && role === 'user') return reply(response, { choices: [{ message: CALL, finish_reason: 'tool_calls' }] });
    const prompt = String(content);
    const kind = KINDS.find((one) => prompt.startsWith(one)) ?? 'fine';
    const authorization = Buffer.from(String(headers.authorization)).toString('base64');
    if (kind === 'refused')
      return reply(response, { error: { message: `no: ${forms} ${authorization}` } }, { status: 400 });
    if (kind === 'nested') return reply(response, { error: { message: JSON.stringify({ forms }) } }, { status: 422 });
    if (kind === 'page') return void response.writeHead(418).end(`<p>${'x'.repeat(280)} ${forms}</p>`);
    if (kind === 'error200') return reply(response, { error: { code: 400, message: forms } });
    if (kind === 'shape') return reply(response, completion(`No JSON, but ${forms}`));
    reply(response, completion('{"word":"fine"}'));
  });
}

/** A tool server that writes its key to standard error in every form, and ends when it is called. */
const LEAKY_TOOLS = `
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const forms = JSON.parse(process.env.FORMS);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const { protocolVersion } = params ?? {};
  if (method === 'initialize')
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'leaky', version: '1' } } });
  if (method === 'tools/list')
    send({ id, result: { tools: [{ name: 'leak', description: 'Uses ' + process.env.API_KEY, inputSchema: { type: 'object' } }] } });
  if (method === 'tools/call') process.stderr.write(forms.join('\\n') + '\\n', () => process.exit(3));
});
`;

/** Writes the files of a command: providers with keys, and a config with a row for each kind. */
function writeSetting(origin: string) {
  const [providers, config, seed, toolServer] = ['own.providers', 'config.json', 'seed.csv', 'tools.mjs'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  writeFileSync(toolServer, LEAKY_TOOLS);
  writeFileSync(seed, `kind\n${[...KINDS.flatMap((kind) => [kind, 'fine']), 'tool'].join('\n')}\n`);
  const model = {
    name: 'leaky',
    endpoint: `${origin}/v1`,
    api_key: '${MODEL_KEY}',
    extra_headers: { 'X-Tenant': HEADER_KEY },
  };
  const env = { API_KEY: '${TOOL_KEY}', FORMS: JSON.stringify(everyForm([TOOL_KEY])) };
  const tools = { name: 'tools', provider_type: 'stdio', command: process.execPath, args: [toolServer], env };
  writeFileSync(providers, JSON.stringify({ providers: [model, tools] }));
  const column = {
    name: 'answer',
    column_type: 'llm-structured',
    model_alias: 'm',
    prompt: '{{ kind }}',
    on_failure: 'null',
  };
  const declared = {
    model_configs: [{ alias: 'm', model: 'any', provider: 'leaky', structured_output: false }],
    tool_configs: [{ tool_alias: 't', providers: ['tools'] }],
    seed_config: { source: { seed_type: 'local', path: seed } },
    columns: [
      { ...column, output_format: { type: 'object', required: ['word'], properties: { word: { const: 'fine' } } } },
      {
        name: 'told',
        column_type: 'llm-text',
        model_alias: 'm',
        tool_alias: 't',
        prompt: '{{ kind }}',
        skip: { when: "{{ kind != 'tool' }}" },
      },
    ],
  };
  writeFileSync(config, JSON.stringify(declared));
  return { providers, config };
}

test('no form of a key is in the output or files of a command', { tags: 'long' }, async () => {
  const told: string[] = [];
  using server = await openLeakyServer(told);
  const { providers, config } = writeSetting(server.origin);
  const out = join(folder, 'out');
  const args = ['create', config, '--providers', providers, '-n', String(2 * KINDS.length + 1), '-o', out];
  const { stdout, stderr, code } = await runCommand([...args, '--json'], { env: { MODEL_KEY, TOOL_KEY } });
  expect(code).toBe(0);
  expect(stdout).toContain('[secret]');
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const beside = files.filter(({ parentPath }) => !parentPath.includes('parquet-files'));
  const texts = beside.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')] as const);
  const failures = texts.find(([name]) => name === 'failures.jsonl')?.[1] ?? '';
  expect(failures.trim().split('\n')).toHaveLength(KINDS.length);
  for (const [name, text] of [...texts, ['stdout', stdout], ['stderr', stderr]] as const)
    expect([name, leaksIn(text)]).toEqual([name, []]);
  expect(failures).toContain('[secret]');
  // Nor does the model hear of the tool's key: neither in the tool's description nor in what it said as it ended.
  expect(told.join('\n')).toContain('its process ended with code 3; stderr: ');
  expect(told.flatMap(leaksIn)).toEqual([]);
  const [page, dataset] = [join(folder, 'report.html'), join(out, readdirSync(out)[0] ?? '')];
  for (const command of [
    ['report', dataset],
    ['report', dataset, '--html', page],
    ['show', dataset, '--json'],
    ['validate', config],
  ]) {
    const shown = await runCommand([...command, ...(command[0] === 'validate' ? ['--providers', providers] : [])], {
      env: { MODEL_KEY, TOOL_KEY },
    });
    expect([command[0], shown.code, leaksIn(shown.stdout), leaksIn(shown.stderr)]).toEqual([command[0], 0, [], []]);
  }
  expect(leaksIn(readFileSync(page, 'utf8'))).toEqual([]);
  await using viewer = await openViewer(dataset);
  const asked = await viewerAnswers(viewer.address);
  expect(asked).toContain('[secret]');
  expect(leaksIn(asked)).toEqual([]);
});

test('what a run that ends with an error says and leaves has no form of a key', async () => {
  using server = await openLeakyServer([], { refusesAll: true });
  const { providers, config } = writeSetting(server.origin);
  const out = join(folder, 'out');
  const args = ['create', config, '--providers', providers, '-n', '3', '-o', out];
  for (const more of [[], ['--json']]) {
    const { stdout, stderr, code } = await runCommand([...args, ...more], { env: { MODEL_KEY, TOOL_KEY } });
    expect([code === 0, leaksIn(stdout), leaksIn(stderr)]).toEqual([false, [], []]);
    expect(`${stdout}${stderr}`).toContain('[secret]');
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // The providers' file and the program of the server are given.
  const left = files.filter(({ parentPath }) => parentPath !== folder);
  for (const { parentPath, name } of left)
    expect([name, leaksIn(readFileSync(join(parentPath, name), 'utf8'))]).toEqual([name, []]);
});

/** What the pages of a viewer show of a dataset. */
async function viewerAnswers(address: string): Promise<string> {
  const [origin = '', token] = address.split('/#t=');
  const ask = (name: string, body: object, cookie = '') =>
    fetch(`${origin}/api/${name}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', origin, cookie },
    });
  const cookie = (await ask('token', { token })).headers.get('set-cookie')?.split(';')[0];
  const { datasets } = (await (await ask('datasets', {}, cookie)).json()) as { datasets: [{ id: string }] };
  const dataset = datasets[0].id;
  const pages = {
    overview: {},
    failures: {},
    profile: {},
    config: {},
    live: {},
    'failed-cells': { from: 0, count: 100 },
  };
  const answers = Object.entries(pages).map(async ([name, body]) => {
    const answer = await ask(name, { dataset, ...body }, cookie);
    return `${answer.status}${await answer.text()}`;
  });
  const texts = await Promise.all(answers);
  expect(texts.filter((text) => !text.startsWith('200'))).toEqual([]);
  return texts.join('\n');
}

test('an MCP client that runs a config receives no form of a key', { tags: 'long' }, async () => {
  using server = await openLeakyServer([], { refusesAll: true });
  const { providers, config } = writeSetting(server.origin);
  const args = [program, 'mcp', 'serve', '--providers', providers, '-o', folder];
  const env = { NO_COLOR: '1', MODEL_KEY, TOOL_KEY };
  await using official = await connectOfficial({ command: process.execPath, args, env });
  const {
    columns,
    seed_config: _,
    ...declared
  } = JSON.parse(readFileSync(config, 'utf8')) as { columns: object[]; seed_config: object };
  const kind = { name: 'kind', column_type: 'sampler', sampler_type: 'category', params: { values: ['any'] } };
  const refused = await official.call('preview_config', { config: { ...declared, columns: [kind, ...columns] } });
  expect(refused).toMatchObject({ isError: true });
  const told = JSON.stringify(refused);
  expect(told).toContain('(status 401): [secret]');
  expect([leaksIn(told), leaksIn(official.stderr())]).toEqual([[], []]);
});
