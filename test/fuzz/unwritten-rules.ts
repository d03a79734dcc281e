/**
 * What the service refuses with 400 `validation_failed` although the document allows it: rules that
 * a schema cannot express. `docs/reference/contract.md` lists the same sentences.
 */
export const unwrittenRules: { rule: string; field: RegExp; issue: RegExp }[] = [
  {
    rule: '`expiresAt` is in the future and at most 24 hours ahead.',
    field: /^expiresAt$/,
    issue: /^must be (in the future|at most 24 hours ahead)$/,
  },
  {
    rule: '`sentAt` of a test payment is within 366 days of now.',
    field: /^sentAt$/,
    issue: /^must be within \d+ days of now$/,
  },
  {
    rule: 'A recipient is named by `bankCode` and `accountNumber` together, or by `address` alone.',
    field: /^accountNumber$/,
    issue: /^must come with bankCode and without address$/,
  },
  {
    rule: 'A naira amount is within the limits that the operator set for the mode.',
    field: /^(amount|minAmount|maxAmount)$/,
    issue: /^must be at (least|most) ₦[\d,.]+ \(\d+ kobo\)$/,
  },
  {
    rule: 'A stablecoin amount has at most 20 digits and is at most 9,223,372,036,854.775807; a price is at most 9,007,199,254.740991.',
    field: /(^|\.)(amount|unitAmount|USDC|USDT)$/,
    issue: /^must (have at most 20 digits|be at most [\d,.]+( USD[CT])?)$/,
  },
  {
    rule: '`minAmount` and `maxAmount` are whole numbers for naira, and have at most 6 decimals for coins.',
    field: /^(min|max)Amount$/,
    issue: /^must (be a whole number of kobo|have at most)/,
  },
  {
    rule: 'A period begins before it ends; that of a report has at most 400 days or 744 hours.',
    field: /^from$/,
    issue: /^must (not be after `to`$|be before `to`$|be at most \d+ (day|hour)s before `to`$)/,
  },
  {
    rule: 'A Solana address is 32 bytes in base58; not every text of that length is.',
    field: /(^|\.)(destinationAddress|address|walletAddress)$/,
    issue: /^must be a Solana address: 32 bytes in base58$/,
  },
  {
    rule: 'A cursor comes from a page of the same list.',
    field: /^cursor$/,
    issue: /^must (be the nextCursor of the previous page|come from a page of the same list)$/,
  },
  {
    rule: 'A URL can be parsed; for webhooks its host is public and, in live mode, its scheme https.',
    field: /^(url|successUrl|cancelUrl)$/,
    issue: /^must (be an|be a public|be at most|start with https|not contain)/,
  },
  {
    rule: 'A text that payers read has a visible character; combining marks and unassigned characters alone are not.',
    field:
      /^(description|name|memo|footer|lines\.\d+\.description|customer\.name|checkout\.displayName)$/,
    issue: /^must contain visible characters/,
  },
  {
    rule: 'A masked BVN or NIN in the settings is the one that was answered.',
    field: /^dedicatedAccounts\.defaultCustomer\.(bvn|nin)$/,
    issue: /^must be 11 digits$/,
  },
  {
    rule: 'Texts are whole characters: no half of a surrogate pair.',
    field: /./,
    issue: /^must be whole characters/,
  },
  {
    rule: '`metadata` is at most 8,192 bytes as JSON.',
    field: /^metadata$/,
    issue: /^must be at most \d+ bytes as JSON$/,
  },
  {
    rule: 'Amount and destination of a refund or return fit the asset of the payment; a test outcome fits the kind of transfer.',
    field: /^(amount|destination\..+|outcome)$/,
    issue: /^(is for |must be an integer in kobo|must be a decimal string|must be one of)/,
  },
  {
    rule: 'A conversion is between naira and a coin; either `amount` or `targetAmount` is sent, as a whole number of kobo or a decimal of the coin.',
    field: /^(to|amount|targetAmount)$/,
    issue:
      /^(must be (USDC or USDT|NGN|sent, or|an integer in kobo|a decimal string of)|cannot be)/,
  },
  {
    rule: 'Either `fundFrom.asset` or the asset of the transfer is naira; `fundFrom` has either `quote` or `maxRate`, a positive decimal.',
    field: /^fundFrom(\.(asset|maxRate))?$/,
    issue: /^must (be (USDC or USDT|NGN|a decimal in naira)|have either)/,
  },
  {
    rule: 'A `merchantReference` occurs once in a batch, and the total of its items is within the largest amount.',
    field: /^items(\.\d+\.merchantReference)?$/,
    issue: /^must (be unique; items\.\d+ has it|not pay out more than)/,
  },
  {
    rule: 'The `merchantReference` of a transfer does not start with `clm_`: transfers of claims do.',
    field: /^(items\.\d+\.)?merchantReference$/,
    issue: /^must not start with clm_: transfers of claims do$/,
  },
  {
    rule: 'A transfer, or an item of a batch, names either a saved `recipient` of its kind or the account or wallet; a saved recipient is one of them.',
    field:
      /^(items\.\d+\.)?(recipient|bankCode|accountNumber|accountName|destinationAddress|address)$/,
    issue:
      /^(is required|cannot be sent with|must be (a wallet|a bank account|the reference of a saved recipient)|must not be disabled)/,
  },
  {
    rule: 'The naira amounts of a batch are within the limits of the mode.',
    field: /^items\.\d+\.amount$/,
    issue: /^must be at (least|most) ₦[\d,.]+ \(\d+ kobo\)$/,
  },
  {
    rule: "A case's `deadline` is in the future, its `assignee` is a member of the team, and `items` are references of payments, transfers, recipients or customers; the outcome `OTHER` has an `outcomeNote`.",
    field: /^(deadline|assignee|items|outcomeNote)$/,
    issue:
      /^(must be in the future|must be a member of your team|must be references of|is required if the outcome is OTHER)/,
  },
  {
    rule: 'A settlement to a wallet has a `walletAddress`, a Solana address.',
    field: /^settlement\.walletAddress$/,
    issue: /^(is required to settle to a wallet|must be a Solana address)/,
  },
  {
    rule: '`splits` has either `rule` or `lines`; a rule is known, fits asset and amount, and has its own `feeBearer`.',
    field: /^splits(\.(rule|feeBearer))?$/,
    issue:
      /^(must have either|names no split rule|is for payments in|cannot be (used|sent together))/,
  },
  {
    rule: 'A line of a split has one of `flat`, `percent` and `remainder`; its amounts are in the asset of the split; only the last line can be the remainder, which has no bounds.',
    field: /^(splits\.)?lines\.\d+(\.(flat|percent|remainder|min|max))?$/,
    issue:
      /^(must (have `flat`|be an integer in kobo|be a decimal string of|be in the last line)|cannot be sent|can be in one line only|needs an asset)/,
  },
  {
    rule: 'The lines of a split are possible: `min` is at most `max`, a flat share is within both, percentages add up to at most 100, and an amount that is known is enough for all, with the fee if the merchant bears it and shares are fixed.',
    field: /^(splits\.)?lines\.\d+\.(flat|percent|min)$/,
    issue: /^(must be at (least|most) `(min|max)`|brings all percentages to|takes )/,
  },
  {
    rule: 'A line of a split names a sub-account that is not closed, and is released in the future, at a time or after days.',
    field: /^(splits\.)?lines\.\d+\.(subaccount|releaseAt|releaseAfterDays)$/,
    issue: /^(names (no|a closed) sub-account|must be in the future|cannot be sent together)/,
  },
  {
    rule: 'An account of a customer is named by `account`, or opened by `kind`.',
    field: /^kind$/,
    issue: /^must be sent, or else `account`$/,
  },
  {
    rule: 'A payment link has either a price or bounds, of which the lower is at most the upper; its labels differ; its metadata has no `answers`; it expires in the future; no other link has its slug.',
    field: /^(amount|minAmount|metadata|expiresAt|slug|fields\.\d+\.label)$/,
    issue:
      /^(cannot be combined with minAmount or maxAmount|must not exceed the maximum|must not have `answers`|must be in the future|belongs to another payment link|is the label of another field)/,
  },
  {
    rule: 'Amounts of an invoice are in its asset, its quantities are more than 0, and its discount has one of `percent` and `amount`.',
    field: /^(lines\.\d+\.(unitAmount|quantity)|discount(\.amount)?|instalments\.\d+\.amount)$/,
    issue: /^must (be an integer in kobo|be a decimal string of|be more than 0|have either)/,
  },
  {
    rule: 'The instalments of an invoice add up to its total, which is at most that of one payment.',
    field: /^(instalments|lines)$/,
    issue: /^must add up to (the total|at most)/,
  },
  {
    rule: 'The discount of an invoice is at most its subtotal; it is due in the year 2000 or later, and `dueAt` is not combined with `instalments`.',
    field: /^(discount\.amount|dueAt|instalments\.\d+\.dueAt)$/,
    issue:
      /^(must be at most .+, the subtotal|must be in the year 2000 or later|cannot be combined with instalments)/,
  },
  {
    rule: 'A schedule starts today or within 5,000 days, and ends on or after its first invoice and the last one made; `day` is for monthly and `weekday` for weekly schedules.',
    field: /^(startsOn|endsOn|day|weekday)$/,
    issue:
      /^(must (not be in the past|be at most 5000 days ahead|be on or after the (first|last) invoice)|is for (monthly|weekly) schedules)/,
  },
  {
    rule: 'A claim expires within a year, in the future, and its amount is in its asset.',
    field: /^(expiresAt|amount)$/,
    issue:
      /^(must be (in the future|at most a year ahead|an integer in kobo|a decimal string of )|is too large for one transfer)/,
  },
  {
    rule: 'The secret word of a claim has at least 4 characters without surrounding blanks.',
    field: /^secretWord$/,
    issue: /^must have at least 4 characters without surrounding blanks$/,
  },
  {
    rule: '`feeBearer` of a split is `merchant`, `subaccounts`, `all` or a sub-account of its lines.',
    field: /^(splits\.)?feeBearer$/,
    issue: /^must be merchant, subaccounts, all, or a sub-account of the lines$/,
  },
  {
    rule: 'Money moves between this sub-account and one other end, `from` or `to`.',
    field: /^(from|to)$/,
    issue: /^(must be sent, or `to` instead|cannot be sent together with `to`|must be another)/,
  },
  {
    rule: 'The amount of a preview and its `accountKind` fit its asset.',
    field: /^(amount|accountKind)$/,
    issue:
      /^must be (an integer in kobo|a decimal string of|(virtual_account|crypto_wallet) or \w+ for )/,
  },
]
