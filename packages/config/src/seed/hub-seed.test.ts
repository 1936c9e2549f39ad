import { expect, test } from 'vitest';
import { hubSeed } from './hub-seed.ts';

const anywhere = { folder: '.', localFiles: false };

const source = {
  seedType: 'hf',
  path: 'datasets/acme/ships/data/*.parquet',
  token: null,
  endpoint: 'https://huggingface.co',
} as const;

interface Changes {
  readonly path?: string;
  readonly token?: string;
  readonly endpoint?: string;
}

/** The findings, as `stage level field: type`. */
function found(changes: Changes, secrets: readonly string[] = [], environment: Record<string, string> = {}): string[] {
  const findings = hubSeed.check?.({ ...source, ...changes }, { ...anywhere, secrets, environment }) ?? [];
  return findings.map(({ stage, level, field, type }) => `${stage} ${level} ${field.join('.')}: ${type}`);
}

test.each<Changes>([
  {},
  { token: 'HF_TOKEN' },
  { token: '${HF_TOKEN}' },
  { token: 'hf_AbCdEf' },
  { token: '' },
  { token: 'constructor' },
  { path: 'datasets/acme/ships@main/**/*.csv' },
  { endpoint: 'https://hub.example.com' },
  { endpoint: 'https://hub.example.com/mirror', token: 'hf_AbCdEf' },
  { endpoint: 'http://hub.example.com' },
  { endpoint: 'http://localhost:8080', token: 'hf_AbCdEf' },
  { endpoint: 'http://[::1]:8080', token: 'hf_AbCdEf' },
  { endpoint: 'HTTPS://HuggingFace.co:443/', token: 'HF_TOKEN' },
])('%o has no findings', (changes) => {
  expect(found(changes)).toEqual([]);
});

test.each([
  'ships.csv',
  'datasets/acme/ships.csv',
  'datasets/acme/ships/',
  'datasets//ships/a.csv',
  'datasets/acme/../x/a.csv',
  'models/acme/ships/a.csv',
  '/datasets/acme/ships/a.csv',
  'hf://datasets/acme/ships/a.csv',
])('%s is not a valid Hub path', (path) => {
  expect(found({ path })).toEqual(['run ERROR source.path: seed_path_invalid']);
});

test('a Hub path must name a table', () => {
  expect(found({ path: 'datasets/acme/ships/a.txt' })).toEqual(['run ERROR source.path: seed_format_unknown']);
});

test.each([
  'huggingface.co',
  'file:///etc/passwd',
  'ftp://a.example',
  'https://u:p@a.example',
  'https://a.example/?x=1',
  '',
])('the endpoint %o is refused without quoting its credentials', (endpoint) => {
  const [finding, ...others] =
    hubSeed.check?.({ ...source, endpoint }, { ...anywhere, secrets: [], environment: {} }) ?? [];
  expect([finding?.type, others]).toEqual(['endpoint_invalid', []]);
  expect(finding?.message).not.toContain('u:p');
});

test.each(['OPENAI_API_KEY', '${OPENAI_API_KEY}', '${lower}', 'AWS_SECRET_ACCESS_KEY', 'X'])(
  'the token %s is refused because it names another secret',
  (token) => {
    expect(found({ token })).toEqual(['run ERROR source.token: secret_refused']);
  },
);

test('a lowercase token is refused if an environment variable has that name', () => {
  expect(found({ token: 'npm_key' }, [], { npm_key: 'secret' })).toEqual(['run ERROR source.token: secret_refused']);
  expect(found({ token: 'npm_key' })).toEqual([]);
});

test('a token may name an allowed secret and send it to another endpoint', () => {
  expect(found({ token: 'MIRROR_TOKEN', endpoint: 'https://hub.example.com' }, ['MIRROR_TOKEN'])).toEqual([]);
  expect(found({ token: 'HF_TOKEN', endpoint: 'https://hub.example.com' }, ['HF_TOKEN'])).toEqual([]);
});

test.each(['https://hub.example.com', 'https://huggingface.co.evil.example', 'https://huggingface.co:444'])(
  'HF_TOKEN does not go to %s',
  (endpoint) => {
    expect(found({ token: 'HF_TOKEN', endpoint })).toEqual(['run ERROR source.endpoint: secret_refused']);
    expect(found({ token: '${HF_TOKEN}', endpoint })).toEqual(['run ERROR source.endpoint: secret_refused']);
  },
);

test.each(['http://huggingface.co', 'http://127.0.0.1.example.com', 'http://localhost.example.com'])(
  'a token does not go to %s unencrypted',
  (endpoint) => {
    expect(found({ token: 'hf_AbCdEf', endpoint })).toEqual(['run ERROR source.endpoint: endpoint_insecure']);
  },
);

test('findings do not quote a literal token', () => {
  const findings = hubSeed.check?.(
    { ...source, token: 'hf_AbCdEf', endpoint: 'http://hub.example.com' },
    { ...anywhere, secrets: [], environment: {} },
  );
  expect(JSON.stringify(findings)).not.toContain('AbCdEf');
});

test('a path with the scheme of other tools is told to leave it out', () => {
  const findings = hubSeed.check?.({ ...source, path: 'hf://datasets/acme/ships/a.csv' }, { ...anywhere, secrets: [] });
  expect(findings).toMatchObject([
    { type: 'seed_path_invalid', remedy: 'Leave out hf://; a path begins with datasets/.' },
  ]);
});
