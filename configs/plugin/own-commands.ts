import { definePlugin } from 'data-designer';

export const plugin = definePlugin({
  commands: {
    'count-words': {
      description: 'Counts the words of a column of a dataset.',
      help: '<folder> <column>',
      // Loaded only when the command is called.
      run: async ([folder, column]) => {
        if (folder === undefined || column === undefined) return 2;
        const { loadDataset } = await import('data-designer');
        let words = 0;
        const results = await loadDataset(folder, { unfinished: true });
        for await (const row of results.records()) words += String(row[column]).split(/\s+/).length;
        process.stdout.write(`${words} words in ${results.count} records\n`);
        return 0;
      },
    },
  },
});
