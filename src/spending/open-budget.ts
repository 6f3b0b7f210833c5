/** The budget of all processes, which loads SQLite, for one of them. */
import type { Client } from '../api/client.js';
import { newOwner, type Owner } from '../files/owner.js';
import { accountFor } from '../state/account.js';
import type { Budget } from './budget.js';
import type { SpendingEnv } from './prices.js';

/** Whether the user has set a limit of a day or a month. */
export function hasBudget(env: SpendingEnv): boolean {
  const { budgetDayRub, budgetMonthRub } = env.settings();
  return (budgetDayRub ?? budgetMonthRub) !== undefined;
}

/** The budget of all processes, and this process as the owner of what it reserves. */
export interface OpenBudget {
  readonly budget: Budget;
  readonly owner: Owner;
}

/** The budget of the account that the client asks for. */
export async function openBudget(env: SpendingEnv, client: Client): Promise<OpenBudget> {
  // The budget loads SQLite.
  const [{ Budget }, owner] = await Promise.all([import('./budget.js'), newOwner()]);
  return { budget: new Budget(env.paths, accountFor(env, client), env.settings()), owner };
}
