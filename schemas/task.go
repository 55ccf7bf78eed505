package schemas

import (
	"fmt"
	"regexp"
	"slices"
)

// TaskIntent is the paper's classification of what a task is for (CrossSWE,
// table 3): eight categories, of which a task has exactly one.
type TaskIntent string

// The task intents, in the paper's order.
const (
	IntentFeature     TaskIntent = "feature_development"             // a new user-facing capability whose behaviour spans repositories
	IntentAPI         TaskIntent = "api_schema_protocol_evolution"   // a shared interface contract changes with its clients, servers or consumers
	IntentBugFix      TaskIntent = "bug_fixing"                      // incorrect cross-repository behaviour, build or compatibility
	IntentSecurity    TaskIntent = "security_identity_observability" // authentication, authorisation, identity, telemetry, logging
	IntentDeployment  TaskIntent = "deployment_platform_runtime"     // deployment configuration, platform integration, runtime behaviour
	IntentMigration   TaskIntent = "migration_upgrade_refactoring"   // a synchronised transition of dependency, version or organisation
	IntentTests       TaskIntent = "test_benchmark_conformance"      // tests or conformance assets move with what they validate
	IntentPropagation TaskIntent = "transitive_change_propagation"   // through a chain of more than two repositories
)

// TaskIntents lists the task intents in the paper's order.
var TaskIntents = []TaskIntent{IntentFeature, IntentAPI, IntentBugFix, IntentSecurity, IntentDeployment,
	IntentMigration, IntentTests, IntentPropagation}

// The paper counts twenty technical domains and names none of them, so a
// domain is free text of one shape: a few lower-case words.
var domainPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9 &+/.-]*[a-z0-9]$`)

// validTask reports what is wrong with an intent or a domain; both may be empty.
func validTask(intent TaskIntent, domain string) error {
	if intent != "" && !slices.Contains(TaskIntents, intent) {
		return fmt.Errorf("unknown task intent %q", intent)
	}
	if domain != "" && (len(domain) > MaxDomain || !domainPattern.MatchString(domain)) {
		return fmt.Errorf("domain %q: want 2 to %d lower-case letters, digits, blanks and any of &+/.-", domain, MaxDomain)
	}
	return nil
}
