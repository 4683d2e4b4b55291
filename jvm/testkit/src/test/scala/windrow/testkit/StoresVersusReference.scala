package windrow.testkit

/** Compares full state, joins, co-groups, policy windows and deduplications, including their messages and metadata as
  * queries see them (SEMANTICS R22-R24).
  */
class StoresVersusReference extends VersusReference {
  check("cases of full state")(RandomStoreCase.fullState(_))
  check("cases of joins")(RandomStoreCase.join(_))
  check("cases of co-groups")(RandomStoreCase.coGroup(_))
  check("cases of policy windows")(RandomPolicyCase(_))
  check("cases of deduplications")(RandomDedupCase(_))

  private val pieces = math.min(20, count / 100 + 1)
  check("cases of full state cut into many pieces", pieces)(RandomStoreCase.fullState(_, scale = 30))
  check("cases of joins cut into many pieces", pieces)(RandomStoreCase.join(_, scale = 30))
  check("cases of co-groups cut into many pieces", pieces)(RandomStoreCase.coGroup(_, scale = 30))
  check("cases of deduplications cut into many pieces", pieces)(RandomDedupCase(_, scale = 30))
}
