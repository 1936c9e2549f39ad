import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { FetchRefusal } from './fetch-refusal.ts';
import { checkHost, guardedLookup, type Reach, refusalOf } from './guarded-lookup.ts';

const publicOnly: Reach = { allowPrivate: false };
const anywhere: Reach = { allowPrivate: true };

/** All addresses that a connection gets for a name. */
function found(name: string, reach: Reach): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    guardedLookup(reach)(name, { all: true }, (failure, addresses) => {
      if (failure) reject(failure);
      else resolve(addresses as LookupAddress[]);
    });
  });
}

test('the lookup of a local name fails unless private addresses are allowed', async () => {
  await expect(found('localhost', publicOnly)).rejects.toThrow(
    "'localhost' is on this machine or its network; pass --allow-private to allow such addresses",
  );
  await expect(found('LOCALHOST.', publicOnly)).rejects.toThrow(FetchRefusal);
  const addresses = (await found('localhost', anywhere)).map(({ address }) => address);
  expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(addresses));
});

test('a connection that asks for one address gets one', async () => {
  const one = await new Promise((resolve, reject) => {
    guardedLookup(anywhere)('localhost', { family: 4 }, (failure, address, family) =>
      failure ? reject(failure) : resolve([address, family]),
    );
  });
  expect(one).toEqual(['127.0.0.1', 4]);
});

test('the lookup of an unknown name fails with an error that quotes it', async () => {
  await expect(found('nowhere.invalid', publicOnly)).rejects.toThrow(
    "the server name 'nowhere.invalid' cannot be resolved",
  );
});

test('the lookup checks the resolved address, so another spelling does not bypass it', async () => {
  await expect(found('0x7f.1', publicOnly)).rejects.toThrow(FetchRefusal);
  await expect(found('169.254.169.254', anywhere)).rejects.toThrow('has an address that cannot be used');
});

test('checkHost checks an address without a lookup', () => {
  expect(() => checkHost('127.0.0.1', publicOnly)).toThrow('is on this machine or its network');
  expect(() => checkHost('[::1]', publicOnly)).toThrow('is on this machine or its network');
  expect(() => checkHost('[::ffff:127.0.0.1]', anywhere)).toThrow('has an address that cannot be used');
  expect(() => checkHost('169.254.169.254', anywhere)).toThrow('has an address that cannot be used');
  expect(checkHost('[::1]', anywhere)).toBeUndefined();
  expect(checkHost('8.8.8.8', publicOnly)).toBeUndefined();
  expect(checkHost('example.org', publicOnly)).toBeUndefined();
});

/** Why a name with these addresses is refused; undefined if it is accepted. */
function refused(reach: Reach, ...addresses: readonly string[]): string | undefined {
  const addressed = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return refusalOf('example.org', addressed, reach)?.message;
}

test('a name with several addresses is refused if any of them is out of reach', () => {
  expect(refused(publicOnly, '8.8.8.8', '2606:4700:4700::1111')).toBeUndefined();
  expect(refused(publicOnly, '8.8.8.8', '10.0.0.1')).toMatch('is on this machine or its network');
  expect(refused(publicOnly, '2606:4700:4700::1111', '::1')).toMatch('is on this machine or its network');
  expect(refused(anywhere, '8.8.8.8', '10.0.0.1')).toBeUndefined();
  expect(refused(anywhere, '8.8.8.8', '::ffff:10.0.0.1')).toMatch('has an address that cannot be used');
});
