const indented = (text) => text.trim().replaceAll(/\n(?=.)/g, '\n  ');

// The changelog that comes with changesets puts a commit hash before each entry.
export const getReleaseLine = ({ summary }) => Promise.resolve(`- ${indented(summary)}`);
export const getDependencyReleaseLine = () => Promise.resolve('');
