/** svc as a process of its own, built from the sources. */
import { runProcess } from '../../src/cli/process.js';

void runProcess('0.0.0-test');
