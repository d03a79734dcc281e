import { strict as assert } from 'node:assert'
import type { SimulatedRail } from '../../payouts/ports.js'
import { instructions } from './judge-instruction.js'
import type { SandboxBank } from './sandbox-bank.js'

/** The sandbox bank, as those who give it instructions see it. */
export function createSimulatedBank(bank: SandboxBank): SimulatedRail {
  return {
    name: bank.name,
    send: bank.send,
    instruct({ reference, outcome }) {
      const instruction = instructions.find((one) => one === outcome)
      assert(instruction, 'only what a bank can be told is passed on to it')
      return bank.instruct(reference, instruction)
    },
  }
}
