// An MCP server with the telephones of customers and their contracts. Each number has settings of its own.
import { defineTool, serveTools } from 'data-designer';

const SETTINGS = ['flight_mode', 'mobile_data', 'roaming', 'ringer'];

/** The settings that were changed, by number. @type {Map<string, Record<string, string>>} */
const changed = new Map();

/** A telephone whose flight mode is on, so that nothing else works. */
const settingsOf = (number) => ({
  flight_mode: 'on',
  mobile_data: 'on',
  roaming: 'off',
  ringer: 'off',
  ...changed.get(number),
});

const NUMBER = { type: 'string', description: 'The number of the telephone.' };
const SETTING = { type: 'string', enum: SETTINGS };

const readSetting = defineTool({
  name: 'read_setting',
  description: 'Shows a setting of the telephone.',
  parameters: { type: 'object', properties: { number: NUMBER, setting: SETTING }, required: ['number', 'setting'] },
  execute: ({ number, setting }) => `${String(setting)} is ${settingsOf(String(number))[String(setting)]}.`,
});

const changeSetting = defineTool({
  name: 'change_setting',
  description: 'Changes a setting of the telephone.',
  parameters: {
    type: 'object',
    properties: { number: NUMBER, setting: SETTING, value: { type: 'string', enum: ['on', 'off'] } },
    required: ['number', 'setting', 'value'],
  },
  execute: ({ number, setting, value }) => {
    changed.set(String(number), { ...changed.get(String(number)), [String(setting)]: String(value) });
    return `${String(setting)} is now ${String(value)}.`;
  },
});

const lookUpContract = defineTool({
  name: 'look_up_contract',
  description: 'Returns the contract of a number.',
  parameters: { type: 'object', properties: { number: NUMBER }, required: ['number'] },
  execute: ({ number }) =>
    `The contract of ${String(number)} is paid. It includes mobile data, and calls abroad with roaming.`,
});

const tools = [readSetting, changeSetting, lookUpContract];
await serveTools(tools, { name: 'telephony', version: '1.0.0', transport: 'stdio' });
