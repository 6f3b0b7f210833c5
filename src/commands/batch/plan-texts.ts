/** The texts of `svc batch plan`, one for each engine. No value in them has a line break. */
import { shellWord } from '../../lib/names.js';
import type { engines } from './index.js';

interface Plan {
  readonly count: number;
  readonly words: readonly string[];
  readonly merge: string;
  readonly joblog: string;
  readonly image: string;
}

/** Stands for the number of a shard in a word; nothing that a user types has this character. */
export const shardNumber = '\0';

/** Words for a shell. @param shard what stands there for the number of a shard */
export function shellLine(words: readonly string[], shard = ''): string {
  const quoted = (part: string) => part && shellWord(part);
  const wordOf = (word: string) => word.split(shardNumber).map(quoted).join(shard) || "''";
  return words.map(wordOf).join(' ');
}

export const texts: Readonly<Record<(typeof engines)[number], (plan: Plan) => string>> = {
  parallel: ({ count, words, merge, joblog }) => `#!/bin/bash
# ${count} shards with GNU parallel: bash PLAN; again, for what is missing: the same.
# The key: export SVC_API_KEY=…, or svc login. After that: ${merge}
shard() {
  ${shellLine(words, '"$1"')}
}
export -f shard
parallel --joblog ${shellWord(joblog)} --resume-failed shard ::: {1..${count}}
`,

  slurm: ({ count, words, merge }) => `#!/bin/bash
# ${count} shards as an array of Slurm, in a folder that all nodes share: sbatch PLAN
# Again, for what is missing: the same; of some shards: sbatch --array=3,7 PLAN
# The key: export SVC_API_KEY=…, or svc login. After that: ${merge}
#SBATCH --job-name=svc-batch
#SBATCH --array=1-${count}
#SBATCH --output=svc-batch-%a.log
${shellLine(words, '"$SLURM_ARRAY_TASK_ID"')}
`,

  'github-actions': ({ count, words, merge }) => `# .github/workflows/svc-batch.yml: ${count} shards
# Start: gh workflow run svc-batch.yml. Again, for what is missing: re-run the failed jobs.
# The key: gh secret set SVC_API_KEY
# After that: seq ${count} | xargs -I{} gh run download -n shard-{} -D shards
# and ${merge}
name: svc batch
on: workflow_dispatch
permissions: { contents: read }
jobs:
  shard:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        shard: [${Array.from({ length: count }, (_, at) => at + 1).join(', ')}]
    steps:
      - uses: actions/checkout@v4
      - run: npm install --global svc-cli && mkdir -p shards
      # What an earlier attempt has left.
      - uses: actions/download-artifact@v4
        continue-on-error: true
        with: { name: "shard-\${{ matrix.shard }}", path: shards }
      - run: |
          ${workflowLine(words)}
        env: { SVC_API_KEY: "\${{ secrets.SVC_API_KEY }}" }
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: "shard-\${{ matrix.shard }}", path: shards, overwrite: true }
`,

  kubernetes: ({ count, words, merge, image }) => `# ${count} shards on Kubernetes 1.33 or later
# Start: kubectl apply -f PLAN. Again, for what is missing: kubectl delete job svc-batch before it.
# It needs an image with svc (--image), a PersistentVolumeClaim svc-batch (ReadWriteMany) with the
# input, and: kubectl create secret generic svc-batch --from-literal=SVC_API_KEY="$SVC_API_KEY"
# After that, on the volume: ${merge}
apiVersion: batch/v1
kind: Job
metadata: { name: svc-batch }
spec:
  completionMode: Indexed
  completions: ${count}
  parallelism: ${count}
  # Further tries of each shard. When more than a quarter of the shards fail, all stop.
  backoffLimitPerIndex: 3
  maxFailedIndexes: ${Math.ceil(count / 4)}
  podFailurePolicy:
    rules:
      # A pod that was moved has not failed.
      - action: Ignore
        onPodConditions: [{ type: DisruptionTarget, status: "True" }]
      # The input (2) or the key (4) is wrong, for every shard.
      - action: FailJob
        onExitCodes: { containerName: svc, operator: In, values: [2, 4] }
      # A bug (1), a refusal (3), a budget that is spent (5), a full volume (11): not tried again.
      - action: FailIndex
        onExitCodes: { containerName: svc, operator: In, values: [1, 3, 5, 11] }
      # Tried again: not reached (6), rate limit (7), time limit (8), requests left (12), killed.
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: svc
          image: ${JSON.stringify(image)}
          workingDir: /data
          command:
${words.map((word) => `            - ${containerWord(word)}`).join('\n')}
          env:
            - { name: SVC_SHARDS, value: "${count}" }
            - name: SVC_API_KEY
              valueFrom: { secretKeyRef: { name: svc-batch, key: SVC_API_KEY } }
          volumeMounts: [{ name: data, mountPath: /data }]
      volumes: [{ name: data, persistentVolumeClaim: { claimName: svc-batch } }]
`,
};

/** GitHub evaluates what is in double braces before a shell reads the line. */
function workflowLine(words: readonly string[]): string {
  const line = shellLine(words, shardNumber).replaceAll('${{', "${{ '${{' }}");
  return line.replaceAll(shardNumber, '${{ matrix.shard }}');
}

/** Kubernetes reads $(NAME) as a variable, and $$ as a dollar sign. */
function containerWord(word: string): string {
  const literal = word.replaceAll('$', () => '$$');
  return JSON.stringify(literal.replaceAll(shardNumber, () => '$(JOB_COMPLETION_INDEX)'));
}
