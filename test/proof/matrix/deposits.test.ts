import { openChain } from '../../simulation/localnet/localnet.js'
import { depositPaths } from './paths/deposits.js'
import { testPaths } from './test-paths.js'

testPaths('deposits', depositPaths(await openChain()))
