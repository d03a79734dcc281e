import { magicRules } from '../../../src/simulation/magic-wallets.js'
import { openChain } from '../../simulation/localnet/localnet.js'
import { coinReturnPaths } from './paths/deposits.js'
import { testPaths } from './test-paths.js'

testPaths('returns of coins', coinReturnPaths(await openChain({ rules: magicRules() })))
