import type { Proof } from '../base/proof.js'

const depositsAreInWallets: Proof = {
  claim: 'Wallet balances in the books equal deposits minus landed sweeps',
  counterexamples: `
    with deposited as (
      select environment_id, asset, sum(amount) as deposited from payments
      where source in ('crypto_wallet', 'dedicated_crypto_wallet') group by environment_id, asset),
    swept as (
      select p.environment_id, s.asset, sum(p.amount) as swept from sweep_parts p
      join sweeps s on s.rail = p.rail and s.id = p.sweep_id and s.state = 'LANDED'
      group by p.environment_id, s.asset),
    booked as (
      select environment_id, asset, debits_posted - credits_posted as booked
      from ledger_accounts where name = 'deposits')
    select environment_id, asset, booked, deposited, swept
    from booked full join deposited using (environment_id, asset)
    full join swept using (environment_id, asset)
    where coalesce(booked, 0) <> coalesce(deposited, 0) - coalesce(swept, 0)`,
}

const sweepsAreTheirParts: Proof = {
  claim: 'Every sweep is the sum of its parts and, if it landed, is booked once',
  counterexamples: `
    with parts as (
      select rail, sweep_id as id, sum(amount) as amount, bool_or(is_live) as is_live
      from sweep_parts group by rail, sweep_id),
    booked as (
      select cause_id as id, min(asset) as asset, sum(amount) as amount
      from ledger_transfers where purpose = 'sweep' group by cause_id)
    select s.rail, id, s.state, s.amount, p.amount as parts, b.amount as booked
    from sweeps s full join parts p using (rail, id) full join booked b using (id)
    where s.amount is distinct from p.amount or p.is_live is distinct from (s.state = 'LIVE')
      or (s.state is distinct from 'LANDED' and b.id is not null)
      or (s.state = 'LANDED' and (s.amount, s.asset) is distinct from (b.amount, b.asset))`,
}

const walletsAreAccounts: Proof = {
  claim: 'Every crypto collection account is a derived wallet',
  counterexamples: `
    select a.environment_id, a.id, a.number from collection_accounts a
    left join wallets w on w.rail = a.rail and w.address = a.number
    where a.kind in ('crypto_wallet', 'dedicated_crypto_wallet') and w.address is null`,
}

export const walletProofs: Proof[] = [depositsAreInWallets, sweepsAreTheirParts, walletsAreAccounts]
