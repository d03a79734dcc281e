import { base58 } from '@scure/base'
import { textOf } from '../chain/keys.js'
import type { Simulation } from '../chain/vm.js'
import type { VmTransactionError } from '../chain/vm-errors.js'

export type SimulationJson = ReturnType<typeof showSimulation>

/** A simulation result in Agave's format, also used in preflight errors. */
export function showSimulation(simulation: Omit<Simulation, 'accounts'>) {
  const { err, logs, units, returnData } = simulation
  return {
    err,
    logs,
    accounts: null as unknown,
    unitsConsumed: units,
    loadedAccountsDataSize: 0,
    returnData: returnData && {
      programId: textOf(returnData.program),
      data: [returnData.data.toString('base64'), 'base64'],
    },
    innerInstructions: null as unknown,
    replacementBlockhash: null as unknown,
  }
}

/** Not run: the transaction is too old or has already landed. */
export function refusedSimulation(err: VmTransactionError): SimulationJson {
  return showSimulation({ err, logs: [], units: 0, inner: [], returnData: null })
}

export function showInner(inner: Simulation['inner']) {
  return inner.flatMap((list, index) => {
    if (list.length === 0) return []
    const instructions = list.map(({ programIdIndex, accounts, data, stackHeight }) => {
      return { programIdIndex, accounts, data: base58.encode(data), stackHeight }
    })
    return [{ index, instructions }]
  })
}
