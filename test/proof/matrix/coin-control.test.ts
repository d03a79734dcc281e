import { openChain } from '../../simulation/localnet/localnet.js'
import { coinControl } from './paths/coin-control.js'
import { testPaths } from './test-paths.js'

testPaths('coin control', coinControl(await openChain()))
