import { openChain } from '../../simulation/localnet/localnet.js'
import { cryptoPayouts } from './paths/crypto-payouts.js'
import { testPaths } from './test-paths.js'

testPaths('crypto payouts', cryptoPayouts(await openChain()))
