export type { BalanceRule, NotInRule, SelectRules, UniqueRule } from '@data-designer/core';
