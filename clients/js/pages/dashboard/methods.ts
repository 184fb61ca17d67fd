/** How shares are computed, in a sentence for people who don't know the methods' names. */
const TOTALS = "Computed from the totals of the reports. A written report may use maximum likelihood, so its numbers may differ a little.";
const LIKELY = "Computed by maximum likelihood.";
const SENTENCES: Readonly<Record<string, string>> = {
  mle: LIKELY,
  em: LIKELY,
  map: `${LIKELY} Each answer counted a little from the start.`,
  corrected: `${LIKELY} They were corrected for the small number of people.`,
  mmse: "These are the shares to expect from the reports and from what was known before.",
  inversion: `${TOTALS} Shares may be below zero.`,
  average: `${TOTALS} Shares may be below zero.`,
  norm_sub: TOTALS,
  projected: TOTALS,
  normalized: TOTALS,
  threshold: `${TOTALS} Shares that chance may explain were spread evenly.`,
  auto: `${TOTALS} Shares were drawn together as far as chance may explain their differences.`,
  smooth: "Neighbouring shares were drawn together as far as the reports support it.",
  observed: "These are the reports as if they were answers: not an estimate.",
};

/** The sentence of a method. One that a newer collector knows is called by its name. */
export const plainly = (method: string): string => SENTENCES[method] ?? `The method is “${method}”.`;
