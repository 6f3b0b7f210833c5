/** The shell commands that local/guide knows, by the words that ask for them. */
/** Words, what the command does, its risk, and the command. */
const known = `
largest biggest big file size | lists the ten largest files below this folder | reads only | find . -type f -exec du -h {} + | sort -rh | head -n 10
disk usage folder directory size | lists everything in this folder, the largest first | reads only | du -sh -- * | sort -rh
free disk space left full | shows the free space of each disk | reads only | df -h
search grep text word contain todo | lists the lines below this folder that contain TODO | reads only | grep -rn TODO .
count line code number | counts the lines of all files below this folder | reads only | find . -type f -exec cat {} + | wc -l
process memory ram running | lists the ten processes that use the most memory | reads only | ps aux | sort -rnk 4 | head -n 10
port listening network | lists the programs that listen on a port | reads only | lsof -nP -iTCP -sTCP:LISTEN
git log commit history | lists the last 20 commits | reads only | git log --oneline --graph -n 20
recent changed modified today file | lists the files that have changed within a day | reads only | find . -type f -mtime -1
archive compress backup folder | packs this folder into backup.tar.gz | changes files | tar -czf ../backup.tar.gz .
delete remove temporary tmp file | deletes the .tmp files below this folder | destroys data | find . -name '*.tmp' -delete
update upgrade package list | updates the list of packages | runs as root | sudo apt-get update
`;

/** The command that shares the most words with a task; none where fewer than two are shared. */
export function shellCommand(task: string, termsOf: (text: string) => ReadonlySet<string>) {
  const terms = termsOf(task);
  const unknown = { command: '', explanation: 'local/guide knows only a few commands' };
  let [maxShared, best] = [1, { ...unknown, risk: 'reads only' }];
  for (const line of known.trim().split('\n')) {
    const [words = '', explanation = '', risk = '', ...command] = line.split(' | ');
    const shared = [...termsOf(words)].filter((term) => terms.has(term)).length;
    if (shared > maxShared)
      [maxShared, best] = [shared, { command: command.join(' | '), explanation, risk }];
  }
  return best;
}
