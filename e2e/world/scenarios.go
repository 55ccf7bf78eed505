package world

import "crossswe/schemas"

// Scenarios lists every scenario: first those that mine proposes, then those
// that it drops.
func Scenarios() []Scenario {
	return []Scenario{
		goBehaviour, goAPI, jsMocha, jsNodeTest, goTriple, goSuperfluous, oneSide, independent, lockstep,
		flakyBeside, flakyOnly, hang, docsOnly, botBump, copied, reverted,
	}
}

// Named returns the scenarios with the given names, in that order; unknown
// names are left out.
func Named(names ...string) []Scenario {
	var out []Scenario
	for _, n := range names {
		for _, s := range Scenarios() {
			if s.Name == n {
				out = append(out, s)
			}
		}
	}
	return out
}

var goBehaviour = Scenario{
	Name:  "go-behaviour",
	Shows: "A Go pair joint by behaviour: everything compiles in every state. Its consumer's half was backported.",
	Repos: []schemas.RepoName{"tide-example/gauge", "tide-example/harbor"},
	Expect: []Expect{
		{
			Sides: []string{"tide-example/gauge#31", "tide-example/harbor#27"},
			Kind:  schemas.VerdictJoint,
			Needs: map[string][]string{
				"tide-example/gauge TestBeforeOnARecordedTide":    {"A1B0"},
				"tide-example/harbor TestSlotsEndAtTheHorizon":    {"A1B1"},
				"tide-example/harbor TestSlotsNeedDeepWater":      {"A0B0"},
				"tide-example/gauge TestParse":                    {"A0B0"},
				"tide-example/gauge TestParseRefusesUnknownWords": {"A0B0"},
			},
			Failures: map[string]schemas.Failure{
				"A0B0": schemas.FailureAssertion, "A1B0": schemas.FailureAssertion, "A0B1": schemas.FailureAssertion,
			},
		},
		{Sides: []string{"tide-example/gauge#31", "tide-example/harbor#30"}, Drop: schemas.DropBackport},
	},
	tell: tellGoBehaviour,
}

var goAPI = Scenario{
	Name:  "go-api",
	Shows: "A Go pair joint by an API change: the consumer does not compile without the provider's half, nor with it alone.",
	Repos: []schemas.RepoName{"mason-example/brick", "mason-example/wall"},
	Expect: []Expect{{
		Sides: []string{"mason-example/brick#29", "mason-example/wall#33"},
		Kind:  schemas.VerdictJoint,
		Needs: map[string][]string{
			"mason-example/brick TestLayInRakingBond":        {"A1B0"},
			"mason-example/brick TestLayRefusesUnknownBonds": {"A1B0"},
			"mason-example/wall TestPlan":                    {"A1B1"},
			"mason-example/wall TestPlanInRakingBond":        {"A1B1"},
		},
		Failures: map[string]schemas.Failure{
			"A0B1": schemas.FailureCompileSibling, "A1B0": schemas.FailureCompileSibling,
		},
	}},
	tell: tellGoAPI,
}

var jsMocha = Scenario{
	Name:  "js-mocha",
	Shows: "A JavaScript pair, CommonJS tested by mocha, joint by behaviour.",
	Repos: []schemas.RepoName{"orchard-example/seedfile", "orchard-example/planter"},
	Expect: []Expect{{
		Sides: []string{"orchard-example/seedfile#26", "orchard-example/planter#24"},
		Kind:  schemas.VerdictJoint,
		Needs: map[string][]string{
			"orchard-example/seedfile columns > keeps what it does not know":   {"A1B0"},
			"orchard-example/planter plan > plants by month":                   {"A1B1"},
			"orchard-example/planter plan > plants seeds without a month last": {"A1B1"},
			"orchard-example/planter plan > names every bed":                   {"A0B0"},
		},
	}},
	tell: tellJSMocha,
}

var jsNodeTest = Scenario{
	Name:  "js-node-test",
	Shows: "A JavaScript pair of modules, tested by node's own runner: the consumer does not load without the provider's half.",
	Repos: []schemas.RepoName{"lantern-example/wick", "lantern-example/lamp"},
	Expect: []Expect{{
		Sides: []string{"lantern-example/wick#25", "lantern-example/lamp#28"},
		Kind:  schemas.VerdictJoint,
		Needs: map[string][]string{
			"lantern-example/wick the curve begins at full brightness": {"A1B0"},
			"lantern-example/lamp a lamp > tells when it gets dim":     {"A1B1"},
		},
		Failures: map[string]schemas.Failure{"A0B1": schemas.FailureCompileSibling},
	}},
	tell: tellJSNodeTest,
}

var goTriple = Scenario{
	Name:  "go-triple",
	Shows: "A Go triple that needs all three.",
	Repos: []schemas.RepoName{"post-example/wire", "post-example/relay", "post-example/desk"},
	Expect: []Expect{{
		Sides: []string{"post-example/wire#24", "post-example/relay#22", "post-example/desk#26"},
		Kind:  schemas.VerdictJoint,
		Needs: map[string][]string{
			"post-example/wire TestDecodeKeepsFurtherFields":           {"A1B0C0"},
			"post-example/relay TestQueueTakesUrgentParcelsFirst":      {"A1B1C0"},
			"post-example/desk TestSheetBeginsWithMarkedUrgentParcels": {"A1B1C1"},
			"post-example/desk TestSheet":                              {"A0B0C0"},
		},
	}},
	tell: tellGoTriple,
}

var goSuperfluous = Scenario{
	Name:  "go-superfluous",
	Shows: "A Go triple of which one repository is superfluous; its minimal set is joint.",
	Repos: []schemas.RepoName{"rail-example/track", "rail-example/train", "rail-example/whistle"},
	Expect: []Expect{{
		Sides:   []string{"rail-example/track#23", "rail-example/train#25", "rail-example/whistle#29"},
		Kind:    schemas.VerdictSubset,
		Minimal: []schemas.RepoName{"rail-example/track", "rail-example/train"},
		Needs: map[string][]string{
			"rail-example/track TestNewSectionKeepsItsGrade": {"A1B0C0"},
			"rail-example/train TestSecondsUphill":           {"A1B1C0"},
			"rail-example/whistle TestLeavingTakesTwoBlows":  {"A0B0C1"},
		},
	}},
	tell: tellGoSuperfluous,
}

var oneSide = Scenario{
	Name:  "one-side",
	Shows: "A pair where the provider's half suffices.",
	Repos: []schemas.RepoName{"bakery-example/oven", "bakery-example/menu"},
	Expect: []Expect{{
		Sides: []string{"bakery-example/oven#28", "bakery-example/menu#30"},
		Kind:  schemas.VerdictOneSide,
		Needs: map[string][]string{
			"bakery-example/oven TestCelsiusRounds":     {"A1B0"},
			"bakery-example/menu TestStepRoundsTheHeat": {"A1B0"},
		},
	}},
	tell: tellOneSide,
}

var independent = Scenario{
	Name:  "independent",
	Shows: "A pair of which each half has tests of its own.",
	Repos: []schemas.RepoName{"garden-example/pond", "garden-example/shed"},
	Expect: []Expect{{
		Sides: []string{"garden-example/pond#27", "garden-example/shed#32"},
		Kind:  schemas.VerdictIndependent,
		Needs: map[string][]string{
			"garden-example/pond TestLitresAboveGround":      {"A1B0"},
			"garden-example/shed TestShelvesCountTheLastOne": {"A0B1"},
		},
	}},
	tell: tellIndependent,
}

var lockstep = Scenario{
	Name:  "lockstep",
	Shows: "A pair that moves in lockstep: half of it does not compile, but no test goes from fail to pass.",
	Repos: []schemas.RepoName{"clock-example/tick", "clock-example/tower"},
	Expect: []Expect{{
		Sides: []string{"clock-example/tick#26", "clock-example/tower#29"},
		Kind:  schemas.VerdictLockstep,
		Needs: map[string][]string{"clock-example/tower TestChimes": {"A0B0"}},
	}},
	tell: tellLockstep,
}

var flakyBeside = Scenario{
	Name:  "flaky-beside",
	Shows: "A joint test beside tests that draw lots.",
	Repos: []schemas.RepoName{"radio-example/band", "radio-example/tuner"},
	Expect: []Expect{{
		Sides: []string{"radio-example/band#30", "radio-example/tuner#28"},
		Kind:  schemas.VerdictJoint,
		Needs: map[string][]string{
			"radio-example/band TestStepOfLongWave":  {"A1B0"},
			"radio-example/tuner TestSeekOnLongWave": {"A1B1"},
		},
		Flaky: []string{
			"radio-example/tuner TestNoiseIsLoud", "radio-example/tuner TestNoiseIsQuiet", "radio-example/tuner TestNoiseStaysQuiet",
		},
	}},
	tell: tellFlakyBeside,
}

var flakyOnly = Scenario{
	Name:  "flaky-only",
	Shows: "A pair whose one deciding test draws lots.",
	Repos: []schemas.RepoName{"dice-example/cup", "dice-example/table"},
	Expect: []Expect{{
		Sides: []string{"dice-example/cup#24", "dice-example/table#26"},
		Kind:  schemas.VerdictFlaky,
		Flaky: []string{"dice-example/table TestThrowOfACoin"},
	}},
	tell: tellFlakyOnly,
}

var hang = Scenario{
	Name:  "hang",
	Shows: "A pair whose consumer waits for ever without the provider's half.",
	Repos: []schemas.RepoName{"mill-example/sluice", "mill-example/wheel"},
	Expect: []Expect{{
		Sides: []string{"mill-example/sluice#32", "mill-example/wheel#27"},
		Kind:  schemas.VerdictJoint,
		Needs: map[string][]string{
			"mill-example/sluice TestTheGateShuts":       {"A1B0"},
			"mill-example/wheel TestTurnsUseAllTheWater": {"A1B1"},
			"mill-example/wheel TestTurns":               {"A0B0"},
		},
		Failures: map[string]schemas.Failure{"A0B1": schemas.FailureHang},
	}},
	tell: tellHang,
}

var docsOnly = Scenario{
	Name:   "docs-only",
	Shows:  "A change that another repository only mentions in its documentation.",
	Repos:  []schemas.RepoName{"chart-example/sea", "chart-example/atlas"},
	Expect: []Expect{{Sides: []string{"chart-example/sea#34", "chart-example/atlas#29"}, Drop: schemas.DropDocsOnly}},
	tell:   tellDocsOnly,
}

var botBump = Scenario{
	Name:   "bot-bump",
	Shows:  "A bot that moves a dependency.",
	Repos:  []schemas.RepoName{"cargo-example/crate", "cargo-example/dock"},
	Expect: []Expect{{Sides: []string{"cargo-example/crate#25", "cargo-example/dock#28"}, Drop: schemas.DropBotBump}},
	tell:   tellBotBump,
}

var copied = Scenario{
	Name:   "copy",
	Shows:  "A fix that was copied from one repository into another.",
	Repos:  []schemas.RepoName{"bell-example/tone", "bell-example/choir"},
	Expect: []Expect{{Sides: []string{"bell-example/tone#27", "bell-example/choir#31"}, Drop: schemas.DropCopy}},
	tell:   tellCopied,
}

var reverted = Scenario{
	Name:   "revert",
	Shows:  "A change of two repositories, before the window, that was taken out again within it.",
	Repos:  []schemas.RepoName{"knot-example/loop", "knot-example/net"},
	Expect: []Expect{{Sides: []string{"knot-example/loop#33", "knot-example/net#34"}, Drop: schemas.DropRevert}},
	tell:   tellReverted,
}
