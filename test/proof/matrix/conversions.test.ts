import { openChain } from '../../simulation/localnet/localnet.js'
import { conversionPaths } from './paths/conversions.js'
import { testPaths } from './test-paths.js'

testPaths('conversions', conversionPaths(await openChain()))
