import { expect, test } from 'vitest';
import { secretsOf } from './provider.ts';

test('the secrets of a child process are in its variables, its options and its addresses, and not in paths', () => {
  const provider = {
    name: 'db',
    providerType: 'stdio',
    command: 'server',
    args: [
      '--api-key',
      'key-in-args-1',
      '--token=key-in-args-2',
      'Authorization: Bearer key-in-args-3',
      '--port',
      '80',
    ],
    env: {
      DB_TOKEN: 'key-in-env-1',
      DATABASE_URL: 'postgres://user:key-in-env-2@host/db',
      GOOGLE_APPLICATION_CREDENTIALS: '/home/jane/key.json',
      MODE: 'fast',
    },
    secrets: ['key-filled-in'],
  } as const;
  const known = secretsOf(provider).filter((secret) => secret !== '');
  for (const key of [
    'key-in-args-1',
    'key-in-args-2',
    'key-in-args-3',
    'key-in-env-1',
    'key-in-env-2',
    'key-filled-in',
  ])
    expect(known).toContain(key);
  for (const word of ['80', 'fast', '/home/jane/key.json', 'server']) expect(known).not.toContain(word);
});
