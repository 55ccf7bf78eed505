package matrix

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// want is what a case must come to. Joint names tests without their unit.
type want struct {
	Kind     schemas.VerdictKind
	Level    schemas.JointLevel
	Evidence schemas.Evidence
	Joint    string
	Minimal  string
}

func got(v schemas.Verdict) want {
	w := want{Kind: v.Kind, Level: v.Level, Evidence: v.Evidence}
	var joint []string
	for _, id := range v.Joint {
		joint = append(joint, string(id.Name()))
	}
	slices.Sort(joint)
	w.Joint = strings.Join(joint, " ")
	for _, r := range v.Minimal {
		w.Minimal += strings.ToUpper(r.Name())
	}
	return w
}

type tests = map[string]string

const (
	single = schemas.LevelSingleTest
	set    = schemas.LevelSet
	suite  = schemas.LevelSuite
)

// rules has one case for every verdict and for every rule of the rehearsals.
var rules = map[string]struct {
	world world
	want  want
}{
	"joint by behaviour": {
		world{links: "BA", tests: tests{"B u t new": "FFFP", "B u old unchanged": "PPPP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"joint by an API change": {
		world{links: "BA", tests: tests{"B u t changed": "CCCP", "B u old unchanged": "CCCP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "AB"},
	},
	"joint by a hang in a partial mask": {
		world{links: "BA", tests: tests{"B u t new": "FHFP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"a triple that needs all three": {
		world{links: "BA CB", tests: tests{"C u t new": "CCCCCCCP", "A u p unchanged": "PPPPPPPP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "ABC"},
	},
	"a triple of which one is superfluous": {
		world{links: "CA CB", tests: tests{"C u t new": "CCCPCCCP"}},
		want{schemas.VerdictSubset, "", schemas.EvidenceNew, "", "BC"},
	},
	"one side suffices, the provider": {
		world{links: "BA", tests: tests{"B u t changed": "CCPP"}},
		want{Kind: schemas.VerdictOneSide},
	},
	"one side suffices, the consumer": {
		world{links: "BA", tests: tests{"B u t changed": "FPFP"}},
		want{Kind: schemas.VerdictOneSide},
	},
	"either side suffices": {
		world{links: "BA", tests: tests{"B u t changed": "FPPP"}},
		want{Kind: schemas.VerdictOneSide},
	},
	"independent: each side has its own tests": {
		world{links: "BA", tests: tests{"A u a new": "OOPP", "B u b new": "FPFP"}},
		want{Kind: schemas.VerdictIndependent, Level: suite},
	},
	"joint by the set of one repository's tests only": {
		world{links: "BA", tests: tests{"B u b new": "FPFP", "B u a new": "FFPP"}},
		want{Kind: schemas.VerdictIndependent, Level: set},
	},
	"lockstep: partial states break, nothing becomes better": {
		world{links: "BA", tests: tests{"B u t unchanged": "PFFP", "B u t2 changed": "PFFP"}},
		want{Kind: schemas.VerdictLockstep},
	},
	"lockstep in one direction": {
		world{links: "BA", tests: tests{"B u t unchanged": "PCPP"}},
		want{Kind: schemas.VerdictLockstep},
	},
	"no test covers the change": {
		world{links: "BA", tests: tests{"B u t unchanged": "PPPP", "A u p unchanged": "PPPP"}},
		want{Kind: schemas.VerdictNoTest},
	},
	"flaky where it decides": {
		world{links: "BA", tests: tests{"B u t new": "FVFP"}},
		want{Kind: schemas.VerdictFlaky},
	},
	"flaky in the full mask": {
		world{links: "BA", tests: tests{"B u t new": "FFFW"}},
		want{Kind: schemas.VerdictFlaky},
	},
	"an unrelated flaky test sinks nothing": {
		world{links: "BA", tests: tests{"B u t new": "FFFP", "B u flaky unchanged": "PPPW"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"rule 1: a void mask is an environment fault": {
		world{links: "BA", void: "A0B1", tests: tests{"B u t new": "FFFP"}},
		want{Kind: schemas.VerdictEnvironment},
	},
	"rule 3: base health, a unit that does not load": {
		world{links: "BA", badBase: true, tests: tests{"B u t changed": "CCCP"}},
		want{Kind: schemas.VerdictEnvironment},
	},
	"rule 3: base health, most tests fail as they were": {
		world{links: "BA", sick: []string{"B u x unchanged", "B u y unchanged"}, tests: tests{"B u t new": "FFFP", "B u x unchanged": "FFFF", "B u y unchanged": "FFFP", "B u z unchanged": "PPPP"}},
		want{Kind: schemas.VerdictEnvironment},
	},
	"rule 5: the full mask does not build": {
		world{links: "BA", unbuilt: "A1B1", tests: tests{"B u t new": "FFFP"}},
		want{Kind: schemas.VerdictEnvironment},
	},
	"a partial mask that does not build is none": {
		world{links: "BA", unbuilt: "A0B1", tests: tests{"B u t new": "FFFP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"rule 5: nothing passes in the full mask": {
		world{links: "BA", tests: tests{"B u t new": "FFFF"}},
		want{Kind: schemas.VerdictEnvironment},
	},
	"rule 5: a unit does not load in the full mask": {
		world{links: "BA", tests: tests{"B u t new": "CCCC", "B v old unchanged": "PPPP"}},
		want{Kind: schemas.VerdictEnvironment, Level: ""},
	},
	"rule 5: a half-written report in the full mask": {
		world{links: "BA", tests: tests{"B u t changed": "FFPI"}},
		want{Kind: schemas.VerdictEnvironment},
	},
	"rule 5: a target test fails in the full mask": {
		world{links: "BA", tests: tests{"B u t new": "FFFF", "B u s new": "FPFP", "B u old unchanged": "PPPP"}},
		want{Kind: schemas.VerdictIndeterminate},
	},
	"rule 6: an old test that fails in every state sinks nothing": {
		world{links: "BA", sick: []string{"B u sick unchanged"}, tests: tests{"B u t new": "FFFP", "B u sick unchanged": "FFFF", "B u old unchanged": "PPPP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"rule 6: a sick test that recovers is no evidence": {
		world{links: "BA", sick: []string{"B u sick unchanged"}, tests: tests{"B u sick unchanged": "FFFP", "B u old unchanged": "PPPP"}},
		want{Kind: schemas.VerdictNoTest},
	},
	"rule 7: absent is not failed": {
		world{links: "BA", tests: tests{"B u t new": "F.FP", "B u old unchanged": "PPPP"}},
		want{Kind: schemas.VerdictIndeterminate},
	},
	"rule 7: skipped is not failed": {
		world{links: "BA", tests: tests{"B u t changed": "FSFP", "B u old unchanged": "PPPP"}},
		want{Kind: schemas.VerdictIndeterminate},
	},
	"rule 7: what was not collected did not fail": {
		world{links: "BA", tests: tests{"B u t changed": "FNFP", "B v old unchanged": "PPPP"}},
		want{Kind: schemas.VerdictIndeterminate},
	},
	"rule 8: unchanged tests that do not compile": {
		world{links: "BA", tests: tests{"B u t unchanged": "CCCP", "B u s unchanged": "CCCP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceCompileOnly, "s t", "AB"},
	},
	"rule 8: new tests before unchanged ones": {
		world{links: "BA", tests: tests{"B u t new": "CCCP", "B u s changed": "CCCP", "B u old unchanged": "CCCP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "s t", "AB"},
	},
	"rule 9: a resolution error is no evidence": {
		world{links: "BA", tests: tests{"B u t new": "CRCP"}},
		want{Kind: schemas.VerdictIndeterminate, Level: set},
	},
	"rule 9: a third party's error is no evidence": {
		world{links: "BA", tests: tests{"B u t new": "CCTP"}},
		want{Kind: schemas.VerdictIndeterminate, Level: set},
	},
	"rule 9: a dead runner is no evidence": {
		world{links: "BA", tests: tests{"B u t new": "FDFP"}},
		want{Kind: schemas.VerdictIndeterminate},
	},
	"rule 9: an error of its own is no evidence for a sibling": {
		world{links: "BA", tests: tests{"B u t new": "COCP"}},
		want{Kind: schemas.VerdictIndeterminate, Level: set},
	},
	"rule 9: its own tests need its own names": {
		world{links: "BA", tests: tests{"B u t new": "OFOP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"rule 10: a test that does not see the sibling cannot be joint": {
		world{tests: tests{"A u a new": "OOPP", "B u t new": "FPFP"}},
		want{Kind: schemas.VerdictIndependent, Level: suite},
	},
	"rule 11: regressions do not count": {
		world{links: "BA", tests: tests{"B u t changed": "CCPP", "B u old unchanged": "PFPP"}},
		want{Kind: schemas.VerdictOneSide},
	},
	"rule 12: time-outs under load are done again alone": {
		world{links: "BA", parallel: true, tests: tests{"B u t new": "FFFL"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
	"rule 12: what disagrees alone too is flaky": {
		world{links: "BA", parallel: true, tests: tests{"B u t new": "FFFW"}},
		want{Kind: schemas.VerdictFlaky},
	},
	"a test that fails again with more patches": {
		world{links: "CA CB", tests: tests{"C u t new": "FFFPFFFF", "C u old unchanged": "PPPPPPPP"}},
		want{Kind: schemas.VerdictNoTest},
	},
	"every mask for everyone": {
		world{links: "BA", exhaust: true, tests: tests{"A u a new": "OOPP", "B u t new": "FFFP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"},
	},
}

func TestRules(t *testing.T) {
	for name, c := range rules {
		t.Run(name, func(t *testing.T) {
			v, _ := c.world.verify(t)
			if diff := cmp.Diff(c.want, got(v)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s%s", diff, v.Reason)
			}
			if v.Reason == "" || strings.Contains(v.Reason, "\n") {
				t.Errorf("reason %q: want one line", v.Reason)
			}
			v.Candidate = "c"
			if err := v.Validate(); err != nil {
				t.Errorf("the verdict is refused: %v", err)
			}
		})
	}
}

// pairs are the recorded outcomes of real sets, as they were run by hand; the
// letters of the failures follow the recorded kinds. The consumer's tests are
// the last repository's.
var pairs = map[string]struct {
	world world
	want  want
}{
	"quicgo-3428_webtransport-6":   {world{links: "BA", tests: tests{"B . t changed": "FHFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "AB"}},
	"common-877_clientgolang-1392": {world{links: "BA", tests: tests{"A expfmt a changed": "FFPP", "B promhttp t new": "OFOP", "B prometheus u changed": "OPOP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"ice-718_webrtc-2847":          {world{links: "BA", tests: tests{"B . t new": "OFOP", "B . old unchanged": "OPOP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"jseslint-677_eslint-20133":    {world{links: "BA", tests: tests{"B ts t new": "FFFP", "B ts old unchanged": "PPPP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"astroid-2437_pylint-9632":     {world{links: "BA", tests: tests{"B lint t new": "FFFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"bson-654-656-662_mongodb-4061": {world{links: "BA", tests: tests{"B u t changed": "CCOP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "AB"}},
	"annotations-174_databind-2771": {world{links: "BA", tests: tests{"B u t new": "CCFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"sctp-467_webrtc-3424":          {world{links: "BA", tests: tests{"B . t new": "CCCP", "B . s changed": "CCCP", "B . old unchanged": "CCCP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "s t", "AB"}},
	"dtls-786_webrtc-3374":          {world{links: "BA", tests: tests{"B . t new": "CCCP", "B . old unchanged": "CCCP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"turn-521_ice-870_webrtc-3344": {world{links: "BA CB CA", tests: tests{"A . a changed": "OOOOPPPP", "B . b changed": "OOCCOOPP", "C . t changed": "CCCCCCCP", "C . old unchanged": "CCCCCCCP"}},
		want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "ABC"}},
	"jseslint-682_eslint-20132":         {world{links: "BA", tests: tests{"B u t unchanged": "PFPP"}}, want{Kind: schemas.VerdictLockstep}},
	"jsonschema-28-29_gosdk-511":        {world{links: "BA", tests: tests{"B ex t changed": "FPFP", "B mcp s changed": "CCPP"}}, want{Kind: schemas.VerdictIndependent, Level: set}},
	"billy-187-188_gogit-1867":          {world{links: "BA", tests: tests{"A osfs a new": "FFPP", "B dotgit t new": "FPFP"}}, want{Kind: schemas.VerdictIndependent, Level: suite}},
	"billy-187-188_gogit-1867 consumer": {world{links: "BA", tests: tests{"B dotgit t new": "FPFP"}}, want{Kind: schemas.VerdictOneSide}},
	"common-816_clientgolang-1859":      {world{links: "BA", tests: tests{"A expfmt a new": "OOPP", "B prometheus t changed": "CCPP"}}, want{Kind: schemas.VerdictOneSide}},
	"quicgo-3429_webtransport-7":        {world{links: "BA", tests: tests{"B . t unchanged": "PCCP"}}, want{Kind: schemas.VerdictLockstep}},
	"sctp-372_webrtc-3108":              {world{links: "BA", tests: tests{"B . t unchanged": "PCPP"}}, want{Kind: schemas.VerdictLockstep}},
	"pion-sctp-ice-webrtc-transport4":   {world{links: "CA CB", tests: tests{"A . a changed": "OOOOPPPP", "B . b changed": "OOPPOOPP", "C . t changed": "CCCPCCCP"}}, want{schemas.VerdictSubset, suite, schemas.EvidenceChanged, "", "BC"}},
	"quicgo-v053_webtransport-169_libp2p-3323": {world{links: "BA CA CB", tests: tests{"A . a new": "OOOOPPPP", "B . b unchanged": "PPCCCCPP", "C . t unchanged": "PCPCCCCP"}},
		want{Kind: schemas.VerdictOneSide, Level: suite}},
	"dask-11736_distributed-9008":              {world{links: "BA AB", tests: tests{"A td t new": "FFFP", "B ts s changed": "FFFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "s t", "AB"}},
	"getrandom-751_rand-1697":                  {world{links: "BA", tests: tests{"B u t changed": "CRTP"}}, want{Kind: schemas.VerdictIndeterminate, Level: set}},
	"webpki-337_rustls-2426":                   {world{links: "BA", tests: tests{"B api t unchanged": "CCCP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceCompileOnly, "t", "AB"}},
	"pkitypes-11_webpki-207_rustls-1606":       {world{links: "BA CA CB", tests: tests{"C api t changed": "CCCCCCCP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "ABC"}},
	"pkitypes-11_webpki-207_rustls-1606 as is": {world{links: "BA CA CB", badBase: true, tests: tests{"B w x unchanged": "CCCCCCPP", "C api t changed": "CCCCCCCP"}}, want{Kind: schemas.VerdictEnvironment}},
	"h2-784_hyper-4026":                        {world{links: "BA", tests: tests{"B u t unchanged": "PCPP"}}, want{Kind: schemas.VerdictLockstep}},
	"bson-850_mongodb-4808":                    {world{links: "BA", tests: tests{"B u t unchanged": "PFPP"}}, want{Kind: schemas.VerdictLockstep}},
	"okio-154_okhttp-1698":                     {world{links: "BA", tests: tests{"A u a new": "OOPP", "B u s changed": "CCPP", "B u t new": "FFFF"}}, want{Kind: schemas.VerdictIndeterminate}},
	"fsspec-572_s3fs-444":                      {world{links: "BA", tests: tests{"B u t unchanged": "PFPP"}}, want{Kind: schemas.VerdictLockstep}},
	"rewrite-485_eslint-21082":                 {world{links: "BA", tests: tests{"B tsc t changed": "FFFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "AB"}},
	"interceptor-431_webrtc-3483":              {world{links: "BA", tests: tests{"B . t unchanged": "PPPP"}}, want{Kind: schemas.VerdictNoTest}},
	"hyperframe-131_h2-cf8a2c5":                {world{links: "BA", tests: tests{"B u t changed": "CCCP", "B u old unchanged": "CCCP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "AB"}},
	"execnet-243_xdist-1027":                   {world{links: "BA", sick: []string{"B u e unchanged"}, tests: tests{"B u t changed": "FFFP", "B u e unchanged": "FFFF", "B u old unchanged": "PPPP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceChanged, "t", "AB"}},
	"werkzeug-1445_flask-8590d65":              {world{links: "BA", tests: tests{"A u a changed": "NNNN", "B u t unchanged": "PPFP"}}, want{Kind: schemas.VerdictEnvironment}},
	"parsel-181_scrapy-5915":                   {world{links: "BA", tests: tests{"B u t new": "SSSS", "B u s changed": "FFFF", "B u old unchanged": "PPPP"}}, want{Kind: schemas.VerdictIndeterminate}},
	"findmyway-336_fastify-5239":               {world{links: "BA", tests: tests{"B semi t new": "FFFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"sioadapter-f529412_socketio-54d5ee05":     {world{links: "BA", tests: tests{"B rec t new": "FFFP"}}, want{schemas.VerdictJoint, single, schemas.EvidenceNew, "t", "AB"}},
	"picotls-468_quicly-545":                   {world{links: "BA", tests: tests{"B u t unchanged": "PCCP"}}, want{Kind: schemas.VerdictLockstep}},
}

func TestRecordedPairs(t *testing.T) {
	for name, c := range pairs {
		t.Run(name, func(t *testing.T) {
			v, _ := c.world.verify(t)
			if diff := cmp.Diff(c.want, got(v)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s%s", diff, v.Reason)
			}
		})
	}
}
