import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { pageOf, readTarget, readToken } from './hub-target.ts';

const folder = testFolder('target');

test('a target is a branch of a dataset, main unless given', () => {
  const target = readTarget({ repoId: 'me/data.set-1' }, {});
  expect(target).toMatchObject({ repoId: 'me/data.set-1', revision: 'main' });
  expect(pageOf(target)).toBe('https://huggingface.co/datasets/me/data.set-1');
  const branch = readTarget({ repoId: 'me/it', revision: 'a/b' }, { HF_ENDPOINT: 'https://hub.example/' });
  expect(pageOf(branch)).toBe('https://hub.example/datasets/me/it/tree/a%2Fb');
  expect(readTarget({ repoId: 'a/b', endpoint: 'http://127.0.0.1:5' }, {}).endpoint.port).toBe('5');
});

test.each(['data', 'a/b/c', 'a/b--c', 'a/..', 'a/b.git', '-a/b', 'a/b-', `a/${'x'.repeat(97)}`, 'a b/c'])(
  '%s is not a name of a dataset',
  (repoId) => {
    expect(() => readTarget({ repoId }, {})).toThrow('this is not a name of a dataset');
  },
);

test.each(['', '@', '-x', 'a..b', 'a//b', 'a.lock', 'a b', 'a/', '.a', 'a/.b', 'a@{b'])(
  "'%s' is not a name of a branch",
  (revision) => {
    expect(() => readTarget({ repoId: 'a/b', revision }, {})).toThrow('is not a name of a branch');
  },
);

test('a token is sent to encrypted addresses only, and no address has a password', () => {
  expect(() => readTarget({ repoId: 'a/b', endpoint: 'http://hub.example' }, {})).toThrow('without encryption');
  expect(() => readTarget({ repoId: 'a/b', endpoint: 'ftp://hub.example' }, {})).toThrow('not a plain http(s) address');
});

const shown = async (written: string | undefined, environment: Readonly<Record<string, string>>) =>
  JSON.stringify(await readToken(written, 'a/b', environment));

test('the token is the given one, else that of the environment, else that of the login', async () => {
  const path = join(folder, 'token');
  await expect(readToken(undefined, 'a/b', { HF_TOKEN_PATH: path })).rejects.toMatchObject({ code: 'secret/missing' });
  writeFileSync(path, ' hf_login \n');
  expect(await shown(undefined, { HF_TOKEN_PATH: path })).toContain(`the token in ${path}`);
  expect(await shown(undefined, { HF_HOME: folder })).toContain(path);
  expect(await shown(undefined, { HF_TOKEN: 'hf_own', HF_HOME: folder })).not.toContain(path);
});
