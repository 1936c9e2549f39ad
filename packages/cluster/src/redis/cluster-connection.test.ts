import { afterEach, expect, test, vi } from 'vitest';
import { addressOf, connectionSettings } from './cluster-connection.ts';

afterEach(() => void vi.unstubAllEnvs());

test.each([
  ['redis://queue', { host: 'queue', port: 6379 }],
  ['redis://user:p%40ss@queue:7000/2', { host: 'queue', port: 7000, username: 'user', password: 'p@ss', db: 2 }],
  ['rediss://[::1]:6380?prefix=team:', { host: '::1', port: 6380, tls: true, keyPrefix: 'team:' }],
  [
    'redis+sentinel://a,b:26380/main?tls=true',
    {
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_380 },
      ],
      master: 'main',
      tls: true,
    },
  ],
  ['redis+cluster://:secret@a:7000', { nodes: [{ host: 'a', port: 7000 }], password: 'secret' }],
  ['redis+unix:///run/my%20redis.sock?db=3&prefix=team:', { path: '/run/my redis.sock', db: 3, keyPrefix: 'team:' }],
])('reads the address %s', (address, settings) => {
  expect(connectionSettings(address)).toEqual(settings);
});

test.each([
  ['queue:6379', 'it is not a Redis address'],
  ['http://queue', 'it is not a Redis address'],
  ['redis://a,b', 'only redis+sentinel:// and redis+cluster:// take several hosts'],
  ['redis://queue/main', "the database 'main' is no number"],
  ['redis+sentinel://a', 'it names Sentinels without the master that they watch'],
  ['redis+cluster://a,,b', "'' is no host"],
  ['redis+unix://run/redis.sock', 'the path of a socket follows three slashes, as in redis+unix:///run/redis.sock'],
  ['redis+unix:///run/redis.sock?db=main', "the database 'main' is no number"],
])('refuses the address %s', (address, reason) => {
  expect(() => connectionSettings(address)).toThrow(reason);
});

test('takes passwords from the environment, and shows none', () => {
  vi.stubEnv('DATA_DESIGNER_CLUSTER_PASSWORD', 'secret');
  expect(connectionSettings('redis://queue')).toMatchObject({ password: 'secret' });
  expect(connectionSettings('redis://user:own@queue')).toMatchObject({ password: 'own' });
  expect(addressOf(connectionSettings('redis://user:own@queue'))).toBe('queue:6379');
  expect(addressOf(connectionSettings('redis+unix:///run/redis.sock'))).toBe('/run/redis.sock');
  expect(() => connectionSettings('redis://user:own@queue/main')).toThrow("'redis://queue/main'");
});
