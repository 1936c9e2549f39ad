import { stringifyJson } from '@data-designer/core';

/** Text that only code outside a template knows: where it turns up, a template has found a way out. */
const CANARY = `canary-${Math.random()}`;

/** What every value of the language inherits; nothing a template does may read or change it. */
const PROTOTYPES: readonly object[] = [
  Object,
  Array,
  Function,
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  RegExp,
  Map,
  Set,
  Error,
  Promise,
].map(({ prototype }) => prototype as object);

/** Puts the canary where a template that leaves its record would come by: the global object and every prototype. */
export function releaseCanary(): void {
  Object.defineProperty(globalThis, '__canary', { value: CANARY, writable: true, configurable: true });
  for (const prototype of PROTOTYPES) {
    Object.defineProperty(prototype, 'inherited', { value: CANARY, writable: true, configurable: true });
    Object.defineProperty(prototype, 'inherited_method', { value: () => CANARY, writable: true, configurable: true });
  }
}

/** Own properties by owner and key; a null owner stands for the global object, whose values its libraries may change. */
type Snapshot = readonly (readonly [object | null, string | symbol, PropertyDescriptor])[];

/** Everything that the prototypes hold now, and the names of the global object. */
export function prototypeSnapshot(): Snapshot {
  const held = PROTOTYPES.flatMap((owner) =>
    Reflect.ownKeys(owner).map((key) => [owner, key, Reflect.getOwnPropertyDescriptor(owner, key) ?? {}] as const),
  );
  return [...held, ...Object.getOwnPropertyNames(globalThis).map((key) => [null, key, {}] as const)];
}

/** Throws where a prototype or the global object is not as it was. */
export function checkPrototypes(before: Snapshot): void {
  const after = prototypeSnapshot();
  for (let at = 0; at < Math.max(before.length, after.length); at++) {
    const [now, then] = [after[at], before[at]];
    if (now !== undefined && then !== undefined && isSame(now, then)) continue;
    const key = String((now ?? then)?.[1]);
    throw new Error(`the case changed a prototype or the global object, at or before '${key}'`);
  }
}

function isSame([owner, key, now]: Snapshot[number], [oldOwner, oldKey, then]: Snapshot[number]): boolean {
  const isOwner = owner === oldOwner && key === oldKey;
  return isOwner && Object.is(now.value, then.value) && now.get === then.get && now.set === then.set;
}

/** What JavaScript prints of its own values; Python prints none of it. */
const LEAK = /\[native code\]|\bfunction \w*\s*\(|\[object |=> \{|Symbol\(/;

/** Throws where a text shows what a template may not see; what the case itself says does not count. */
export function checkText(shown: string, source: string): void {
  if (shown.includes(CANARY)) throw new Error('the case shows the canary');
  const leak = LEAK.exec(shown)?.[0];
  if (leak !== undefined && !source.includes(leak)) throw new Error(`the case shows '${leak}' of the language`);
}

/** The same value, frozen all the way down. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key));
  return Object.freeze(value);
}

/** Throws where a record is not what it was when `before` was written. */
export function checkRecord(record: object, before: string): void {
  if (stringifyJson(record) !== before) throw new Error('the case changed its record');
}
