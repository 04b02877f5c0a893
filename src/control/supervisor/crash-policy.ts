/** When restarts are slowed and when the flows are no longer started. All times in milliseconds. */
export interface CrashPolicy {
  readonly restartDelayMs: { readonly min: number; readonly max: number };
  /** So many crashes … */
  readonly crashLimit: number;
  /** … within this time: safe mode. */
  readonly crashWindowMs: number;
}

/** What to do after a crash. */
export interface AfterCrash {
  /** The crashes that count for the next decision: times within the window. */
  readonly crashes: readonly number[];
  readonly delayMs: number;
  /** The flows should be left alone from now on. */
  readonly safe: boolean;
}

/**
 * Decides after a crash: the pause before a restart doubles with every crash of the last `crashWindowMs`; at
 * `crashLimit` of them the flows are left alone.
 * @param crashes - times of the earlier crashes
 * @param now - time of this one
 */
export function afterCrash(crashes: readonly number[], now: number, policy: CrashPolicy): AfterCrash {
  const recent = [...crashes.filter((at) => now - at < policy.crashWindowMs), now];
  const { min, max } = policy.restartDelayMs;
  return {
    crashes: recent,
    delayMs: Math.min(max, min * 2 ** (recent.length - 1)),
    safe: recent.length >= policy.crashLimit,
  };
}
