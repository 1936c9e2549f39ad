import { DatabaseSync } from 'node:sqlite';
import { Float, Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import { SqlDatabase } from './sql-database.ts';

const ACCOUNTS = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER CHECK (balance >= 0))';

function sources(now?: number) {
  return { random: Random.of(1, 'bank').at(0), now };
}

async function bank() {
  const db = await SqlDatabase.open();
  db.run([ACCOUNTS, "INSERT INTO account VALUES ('a', 100), ('b', 5)"], sources());
  return db;
}

function balances(db: SqlDatabase) {
  return db.run(['SELECT balance FROM account ORDER BY id'], sources()).rows?.map(({ balance }) => balance);
}

const MOVE = [
  'UPDATE account SET balance = balance + :amount WHERE id = :to',
  'UPDATE account SET balance = balance - :amount WHERE id = :from RETURNING id, balance',
];

test('statements of one call change all or nothing', async () => {
  const db = await bank();
  expect(db.run(MOVE, sources(), { from: 'a', to: 'b', amount: 30 })).toEqual({
    rows: [{ id: 'a', balance: 70 }],
    changes: 2,
  });
  expect(() => db.run(MOVE, sources(), { from: 'a', to: 'b', amount: 71 })).toThrow('CHECK constraint failed');
  expect(balances(db)).toEqual([70, 35]);
});

test('the rows are those of the last statement that has any, and a value is bounded', async () => {
  const db = await bank();
  expect(db.run(['SELECT 1 AS a', 'UPDATE account SET balance = 1'], sources())).toEqual({
    rows: [{ a: 1 }],
    changes: 2,
  });
  const a = 'x'.repeat(2 ** 20 + 1);
  expect(() => db.run(['SELECT :a'], sources(), { a })).toThrow('a value is longer than 1048576 bytes');
});

test('marks are nested, and a fork goes its own way', async () => {
  const db = await bank();
  const set = (balance: number) =>
    db.run(["UPDATE account SET balance = :balance WHERE id = 'a'"], sources(), { balance });
  db.mark();
  set(1);
  db.mark();
  set(2);
  db.undo();
  expect(balances(db)).toEqual([1, 5]);
  db.release();
  db.undo();
  expect(balances(db)).toEqual([100, 5]);
  db.release();
  const other = db.fork();
  set(3);
  expect([balances(db), balances(other)]).toEqual([
    [3, 5],
    [100, 5],
  ]);
  other.run(["UPDATE account SET balance = 9 WHERE id = 'a'"], sources());
  other.close();
  expect(balances(db)).toEqual([3, 5]);
});

test.each([
  ['an integer of 64 bits', 2n ** 62n],
  ['a negative one', -5],
  ['a float', 0.5],
  ['an integral float', new Float(2)],
  ['text', 'né\u{1F600}'],
  ['empty text', ''],
  ['text with a NUL', 'a\0b'],
  ['text with a byte order mark', '\uFEFFa'],
  ['a number beyond 2^53', 2n ** 53n + 1n],
  ['null', null],
])('%s comes back as it was given', async (_, value) => {
  const db = await SqlDatabase.open();
  expect(db.run(['SELECT :value AS value'], sources(), { value }).rows).toEqual([{ value }]);
});

test('booleans are numbers, lists and objects are JSON', async () => {
  const db = await SqlDatabase.open();
  const { rows } = db.run(['SELECT :a AS a, :b AS b, :c AS c'], sources(), { a: true, b: [1, 'x'], c: { d: 1 } });
  expect(rows).toEqual([{ a: 1, b: '[1,"x"]', c: '{"d":1}' }]);
});

test.each([
  ["ATTACH ':memory:' AS other", 'ATTACH is not allowed'],
  ['PRAGMA writable_schema = 1', 'PRAGMA is not allowed'],
  ["SELECT load_extension('x')", 'load_extension'],
  ['COMMIT', 'transactions are not allowed'],
  ['SAVEPOINT mine', 'savepoints are not allowed'],
  ['CREATE VIRTUAL TABLE t USING fts5(a)', 'virtual tables are not allowed'],
  ['WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n', 'steps'],
  ['SELECT zeroblob(1000000000)', 'too big'],
  ["SELECT printf('%.*c', 1000000000, 'x')", 'too big'],
  ['WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n', '10000 rows'],
  [
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT hex(zeroblob(50000)) FROM n',
    'characters',
  ],
  [
    'CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT zeroblob(1000000) AS b FROM n',
    'full',
  ],
  ["SELECT replace(hex(zeroblob(400000)), '00', 'xxxxxxxxxx')", 'too big'],
  [`SELECT 'a' LIKE '${'%a'.repeat(500)}'`, 'pattern too complex'],
  ['SELECT * FROM nowhere', 'no such table: nowhere'],
  ['SELECT ?1', 'has no name'],
  ["SELECT datetime('now', 'localtime')", 'the local time'],
  ["SELECT datetime(0, 'unixepoch', 'utc')", 'the local time'],
  ['CREATE TEMP TABLE t (a)', 'temporary tables'],
  ['SELECT total_changes()', 'total_changes'],
  ['UPDATE sqlite_dbpage SET data = zeroblob(4096) WHERE pgno = 2', 'read-only'],
  [
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000) SELECT i AS "${'x'.repeat(500)}" FROM n`,
    'characters',
  ],
  [
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT zeroblob(900000 + i) AS z FROM n ORDER BY z',
    'bytes of memory',
  ],
  ["SELECT datetime('now')", "with the key 'now'"],
  ['SELECT CURRENT_TIMESTAMP', "with the key 'now'"],
])('%s is refused with a reason, and the next statement runs', { tags: 'long' }, async (sql, reason) => {
  const db = await bank();
  expect(() => db.run([sql], sources())).toThrow(reason);
  expect(balances(db)).toEqual([100, 5]);
});

test('the time is that of the world, and random numbers are its draws', async () => {
  const db = await SqlDatabase.open();
  const sql = "SELECT datetime('now') AS now, CURRENT_DATE AS day, random() AS drawn, random() AS again";
  const [first] = db.run([sql], sources(86_400_000)).rows ?? [];
  expect(first).toMatchObject({ now: '1970-01-02 00:00:00', day: '1970-01-02' });
  expect(first?.drawn).not.toEqual(first?.again);
  expect(db.run([sql], sources(86_400_000)).rows).toEqual([first]);
});

test.each([
  ['a conflict that rolls back', "INSERT OR ROLLBACK INTO account VALUES ('b', 1)", 'UNIQUE'],
  [
    'a trigger that rolls back',
    "CREATE TRIGGER t BEFORE DELETE ON account BEGIN SELECT RAISE(ROLLBACK, 'never'); END; DELETE FROM account",
    'never',
  ],
  [
    'a write without end',
    'INSERT INTO account WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT 1 - i FROM n) SELECT i, 0 FROM n WHERE i > 1',
    'steps',
  ],
])('%s takes back its own call alone, also under marks', { tags: 'long' }, async (_, sql, reason) => {
  const db = await bank();
  const add = () => db.run(["UPDATE account SET balance = balance + 1 + random() * 0 WHERE id = 'b'"], sources());
  db.mark();
  add();
  db.mark();
  add();
  expect(() => db.run(["UPDATE account SET balance = 0 WHERE id = 'a'", sql], sources())).toThrow(reason);
  expect(balances(db)).toEqual([100, 7]);
  add();
  expect(balances(db)).toEqual([100, 8]);
  db.undo();
  expect(balances(db)).toEqual([100, 6]);
  expect(() => db.run([sql], sources())).toThrow(reason);
  db.release();
  expect(balances(db)).toEqual([100, 6]);
  db.undo();
  expect(balances(db)).toEqual([100, 5]);
  expect(() => db.run([sql], sources())).toThrow(reason);
  db.release();
  expect(balances(db)).toEqual([100, 5]);
});

test('a deferred foreign key is checked by the call that breaks it', async () => {
  const db = await SqlDatabase.open();
  db.run(['CREATE TABLE a (id PRIMARY KEY); CREATE TABLE b (a REFERENCES a DEFERRABLE INITIALLY DEFERRED)'], sources());
  db.mark();
  expect(() => db.run(['INSERT INTO b VALUES (1)'], sources())).toThrow('FOREIGN KEY constraint failed');
  db.run(['INSERT INTO b VALUES (1)', 'INSERT INTO a VALUES (1)'], sources());
  db.release();
  expect(db.run(['SELECT count(*) AS n FROM b'], sources()).rows).toEqual([{ n: 1 }]);
});

test('random bytes and the last row are those of the call', async () => {
  const db = await SqlDatabase.open();
  db.run(['CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (7)'], sources());
  const sql = 'SELECT hex(randomblob(8)) AS bytes, last_insert_rowid() AS last';
  const { rows } = db.run([sql], sources());
  expect(rows).toMatchObject([{ last: 0 }]);
  expect(db.run([sql], sources()).rows).toEqual(rows);
  expect(db.fork().run([sql], sources()).rows).toEqual(rows);
  expect(db.run([sql], { random: Random.of(2, 'bank').at(0), now: 0 }).rows).not.toEqual(rows);
});

test('the limit of steps is that of all statements of a call together', { tags: 'long' }, async () => {
  const db = await SqlDatabase.open();
  const some = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 700000) SELECT count(*) FROM n';
  expect(db.run([some], sources()).rows).toHaveLength(1);
  expect(() => db.run([some, some, some], sources())).toThrow('steps');
});

test('SQL in a value stays a value', async () => {
  const db = await bank();
  db.run(MOVE, sources(), { from: "a'; DROP TABLE account; --", to: 'b', amount: 1 });
  expect(balances(db)).toEqual([100, 6]);
});

test('a text may hold several statements, blanks and comments', async () => {
  const db = await SqlDatabase.open();
  const { rows } = db.run(
    ['-- first\nCREATE TABLE t (a);\n INSERT INTO t VALUES (1);; SELECT a FROM t; -- end\n'],
    sources(),
  );
  expect(rows).toEqual([{ a: 1 }]);
  expect([...db.compile(['SELECT :x + $y; SELECT @z'], sources())]).toEqual(['x', 'y', 'z']);
});

/** One value of each kind of text that the own functions meet. */
const VALUES = [
  "''",
  "'a'",
  "'aab'",
  "'ab  é€😀 '",
  "'éa'",
  "' '",
  'NULL',
  '-12',
  '1.5',
  "x'6162'",
  "x''",
  "CAST(x'c3a96100' AS TEXT)",
  "CAST(x'a9' AS TEXT)",
];

test('the own text functions give what those of SQLite give', { tags: 'long' }, async () => {
  const db = await SqlDatabase.open();
  const reference = new DatabaseSync(':memory:');
  for (const a of VALUES) {
    for (const b of VALUES) {
      const pairs = [`instr(${a}, ${b})`, `trim(${a}, ${b})`, `ltrim(${a}, ${b})`, `rtrim(${a}, ${b})`];
      const all = [...pairs, `trim(${a})`, ...VALUES.slice(0, 9).map((c) => `replace(${a}, ${b}, ${c})`)];
      const sql = `SELECT ${all.map((one, at) => `typeof(${one}) || hex(${one}) AS v${at}`).join(', ')}`;
      expect(
        db.run([sql], sources()).rows?.map((row) => ({ ...row })),
        `${a}, ${b}`,
      ).toEqual(
        reference
          .prepare(sql)
          .all()
          .map((row) => ({ ...row })),
      );
    }
  }
});

test('a long text is found behind beginnings of it', async () => {
  const db = await SqlDatabase.open();
  const values = { a: `${'ab'.repeat(40)}abc${'ab'.repeat(30)}`, b: `${'ab'.repeat(20)}abc` };
  const sql = "SELECT instr(:a, :b) AS at, length(replace(:a, :b, '')) AS rest, instr(:b, :a) AS none";
  expect(db.run([sql], sources(), values).rows).toEqual([{ at: 41, rest: 100, none: 0 }]);
});

test('a long text is found wherever a platform finds it', async () => {
  const db = await SqlDatabase.open();
  const sql = "SELECT instr(:a, :b) AS at, replace(:a, :b, '!') AS rest";
  for (let turn = 0; turn < 120; turn++) {
    // Texts of few letters have beginnings within themselves.
    const b = Array.from({ length: 40 }, (_, at) => 'aab'[(at * at * (turn % 7) + (turn >> 3) * at) % 3]).join('');
    const a = `${b.slice(0, 13 + (turn % 20))}${b.slice(turn % 5)}${b}${b.slice(0, turn % 40)}${b}`;
    expect(db.run([sql], sources(), { a, b }).rows).toEqual([{ at: a.indexOf(b) + 1, rest: a.replaceAll(b, '!') }]);
  }
});

test('a replacement is refused before it is made where it is too long, and finds no NUL', async () => {
  const db = await SqlDatabase.open();
  const a = 'a'.repeat(1_000_000);
  expect(() => db.run(["SELECT replace(:a, 'a', :a)"], sources(), { a })).toThrow('too big');
  const nul = "SELECT hex(replace('a' || char(0) || 'b', char(0), 'x')) AS value";
  expect(db.run([nul], sources()).rows).toEqual(new DatabaseSync(':memory:').prepare(nul).all());
});

test.each([
  ['instr(a, b)', 0],
  ['length(replace(a, b, 1))', 1_000_000],
  ['length(trim(a, c))', 0],
  ['length(rtrim(a, b))', 0],
])('%s of values of 1 MB ends', { tags: 'long' }, async (sql, value) => {
  const db = await SqlDatabase.open();
  db.run(['CREATE TABLE a (a)', 'CREATE TABLE b (b, c)'], sources());
  db.run(['INSERT INTO a VALUES (:a)'], sources(), { a: 'x'.repeat(1_000_000) });
  const c = `${Array.from({ length: 4_000 }, (_, at) => String.fromCodePoint(300 + at)).join('')}x`;
  db.run(['INSERT INTO b VALUES (:b, :c)'], sources(), { b: `y${'x'.repeat(500_000)}`, c });
  expect(db.run([`SELECT ${sql} AS value FROM a, b`], sources()).rows).toEqual([{ value }]);
});

test('a call whose steps take long is stopped by its time, and changes nothing', async () => {
  const db = await bank();
  const long =
    "UPDATE account SET balance = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) SELECT sum(length(upper(printf('%.*c', 900000 + i, 'x')))) FROM n)";
  expect(() => db.run([long], { ...sources(), mostMs: 20 })).toThrow(
    expect.objectContaining({ message: 'it takes more than 0.02 s', isLate: true }) as Error,
  );
  expect(balances(db)).toEqual([100, 5]);
  expect(() => db.run(['SELECT * FROM nowhere'], sources())).toThrow(
    expect.objectContaining({ isLate: false }) as Error,
  );
});
