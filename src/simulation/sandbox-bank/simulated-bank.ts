import { strict as assert } from 'node:assert'
import type { SimulatedRail } from '../../payouts/ports.js'
import { instructions } from './judge-instruction.js'
import type { SandboxBank } from './sandbox-bank.js'

/** The sandbox bank as `POST /v1/test/disbursements/{reference}/settle` uses it. */
export function createSimulatedBank(bank: SandboxBank): SimulatedRail {
  return {
    name: bank.name,
    send: bank.send,
    instruct({ reference, outcome }) {
      const instruction = instructions.find((known) => known === outcome)
      assert(instruction, 'the outcome is one for bank transfers')
      return bank.instruct(reference, instruction)
    },
  }
}
