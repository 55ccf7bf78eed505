package classify_test

import (
	"strings"
	"testing"

	"crossswe/internal/classify"
	"crossswe/schemas"
)

// paths lists, per class, paths of all the languages that the pipeline knows.
// Each line is a kind of path that simpler rules get wrong or that a language's
// customs call for.
var paths = map[schemas.FileClass]map[string]string{
	schemas.ClassTest: {
		"Go":         "a_test.go x/testdata/in.txt x/testdata/src/main.go x/testdata/go.mod testdata/Makefile x_internal_test.go",
		"JavaScript": "a.test.js a.spec.jsx a-test.js a_test.mjs src/__tests__/a.js test.js test/a.cjs tests/fixtures/node_modules/x/index.js __mocks__/fs.js __snapshots__/a.js.snap a.snap cypress/e2e/a.cy.js e2e/a.js test/package.json spec/a.js spec/support/jasmine.json",
		"TypeScript": "a.test.ts a.spec.tsx a.test-d.ts a.spec-d.ts types/a.e2e-spec.ts a.e2e.ts test/index.ts test/types/a.test-d.ts a.test.mts src/test/suite/index.ts jest.setup.ts setupTests.ts packages/x/tests/lib/a.ts a.test.helpers.ts",
		"Python":     "test_a.py a/test_a.py a_test.py a_tests.py app/tests.py conftest.py a/conftest.py tests/functional/a.txt tests/functional/a.py a/tests/__init__.py testing/test_a.py testing/conftest.py testing/data/a.json tests/requirements.txt tests/README.md",
		"Java":       "src/test/java/org/x/A.java src/test/resources/a.json src/integrationTest/java/A.java src/it/a/pom.xml src/testFixtures/java/A.java mod/src/test/java/org/x/main/B.java test/org/x/A.java src/org/x/ATest.java ATests.java FooIT.java ATestCase.java",
		"Kotlin":     "src/jvmTest/kotlin/A.kt src/commonTest/kotlin/A.kt src/androidTest/java/A.kt app/src/androidTest/A.kt ATest.kt ASpec.kt compiler/testData/a.kt",
		"Scala":      "src/test/scala/A.scala ASpec.scala ASuite.scala ATest.scala mod/src/it/scala/A.scala",
		"Rust":       "tests/a.rs crate/tests/common/mod.rs src/tests.rs src/x/tests/mod.rs src/a_test.rs src/a_tests.rs tests/ui/a.stderr src/snapshots/a.snap",
		"C":          "test/a.c tests/a.c t/a.c t/assets/cert.pem test_a.c a_test.c a_tests.c src/test.c a.t",
		"C++":        "a_test.cc a_unittest.cpp unittests/A.cpp ATest.cpp FooTests/a.hpp src/test/a.cxx FooTest.h",
		"C#":         "Foo.Tests/A.cs Foo.Tests/Foo.Tests.csproj src/Foo.UnitTests/A.cs Foo.IntegrationTests/A.cs Foo.Test/A.cs ATests.cs ATest.cs test/Foo/A.cs Foo.Specs/A.cs",
		"PHP":        "tests/ATest.php src/Symfony/Component/X/Tests/A.php ATest.php ATestCase.php ACest.php a.phpt spec/ASpec.php",
		"Ruby":       "user_spec.rb spec/a.rb spec/fixtures/a.yml spec/spec_helper.rb test/a.rb a_test.rb test_a.rb features/a.feature features/step_definitions/a.rb test/dummy/config/database.yml gems/x/spec/a_spec.rb",
		"Swift":      "Tests/FooTests/A.swift FooTests/A.swift FooUITests/A.swift ATests.swift ATest.swift ASpec.swift FooTests/Info.plist",
		"any":        "integration-tests/a.sh acceptance_tests/a.yaml smoke-test/a test/Dockerfile tests/a.md test-fixtures/a testsuite/a fixtures/a.json tests/vendor/x.js testdata/package-lock.json",
	},
	schemas.ClassSource: {
		"no test":    "src/latest/x.js attestation/a.go attestation/a.js contest/a.py src/contest.py protest.rb latest.ts testament/a.rs greatest/a.c src/Contest.java Latest.java Attest.cs fastest/A.swift tested/a.js detest/a.js",
		"Go":         "a.go testing/a.go testutil/a.go internal/testing/a.go test/e2e/helper.go tests/a.go doc.go doc/reader.go docs/gen.go cmd/test/main.go test.go a_tester.go xtest/run.go spec/a.go test_a.go e2e/a.go",
		"JavaScript": "index.js src/commands/test/index.js src/test-utils/a.js test-utils/a.ts lib/spec/parser.js src/testing.js examples/a.js bench/a.js benchmark/a.ts src/a.stories.tsx src/main.ts packages/x/src/a.ts scripts/release.js",
		"Python":     "a.py werkzeug/test.py flask/testing.py numpy/testing/a.py a/_testing.py pytest_x/plugin.py tester.py testing_tools.py examples/a.py",
		"JVM":        "src/main/java/org/x/test/A.java src/main/java/org/x/ATest.java src/main/resources/test/a.json src/main/kotlin/A.kt src/main/scala/ASpec.scala src/main/java/org/x/tests/A.java src/A.java AUDIT.java A.kt",
		"Rust":       "src/lib.rs src/test.rs src/test_util.rs benches/a.rs examples/a.rs build.rs",
		"C":          "src/a.c include/a.h lib/a.cpp a.cu",
		"C#":         "Foo/A.cs Foo.Testing/A.cs Foo/Contests.cs",
		"PHP":        "src/A.php",
		"Ruby":       "lib/a.rb lib/x/spec/a.rb lib/active/testing/a.rb app/models/test.rb",
		"Swift":      "Sources/Foo/A.swift Sources/FooTesting/A.swift",
		"data":       "proto/a.proto schema.sql src/words.txt openapi.yaml spec/openapi.yaml specs/a.json assets/a.svg templates/a.html config/app.yml data.json src/main/webapp/index.html",
	},
	schemas.ClassManifest: {
		"any": "go.mod go.work sub/go.mod package.json packages/x/package.json pnpm-workspace.yaml Cargo.toml crates/x/Cargo.toml pyproject.toml setup.py setup.cfg requirements.txt requirements-dev.txt test_requirements.txt requirements/base.txt constraints.txt dev-requirements.in Pipfile environment.yml pom.xml mod/pom.xml build.gradle build.gradle.kts settings.gradle gradle/libs.versions.toml build.sbt project/plugins.sbt Gemfile x.gemspec composer.json Foo/Foo.csproj Directory.Packages.props packages.config Package.swift Podfile vcpkg.json conanfile.txt .gitmodules MODULE.bazel",
	},
	schemas.ClassLock: {
		"any": "go.sum go.work.sum sub/go.sum package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock Cargo.lock uv.lock poetry.lock Pipfile.lock Gemfile.lock composer.lock packages.lock.json Package.resolved Podfile.lock gradle.lockfile flake.lock",
	},
	schemas.ClassConfig: {
		"any": "Makefile x/Makefile a.mk Dockerfile Dockerfile.dev docker-compose.yml .github/workflows/test.yml .github/CODEOWNERS CODEOWNERS OWNERS x/OWNERS OWNERS_ALIASES .go-version .nvmrc .python-version .tool-versions .gitignore .gitattributes .golangci.yml .eslintrc.json eslint.config.js .prettierrc tsconfig.json tsconfig.build.json babel.config.js jest.config.js vitest.config.ts rollup.config.mjs webpack.prod.config.js karma.conf.js tox.ini pytest.ini noxfile.py .coveragerc codecov.yml pylintrc CMakeLists.txt cmake/a.cmake meson.build configure.ac BUILD.bazel WORKSPACE Jenkinsfile azure-pipelines.yml .gitlab-ci.yml .circleci/config.yml rust-toolchain.toml rustfmt.toml .cargo/config.toml gradlew gradle.properties gradle/wrapper/gradle-wrapper.properties .mvn/wrapper/maven-wrapper.properties global.json Directory.Build.props Foo.sln phpunit.xml.dist phpstan.neon Rakefile .rubocop.yml .swiftlint.yml renovate.json lerna.json .mocharc.json ci/build.sh .editorconfig",
	},
	schemas.ClassDoc: {
		"any": "README README.md README.rst docs/a.md docs/conf.py docs/img/a.png doc/basics.rst doc/data/messages/a/bad.py CHANGELOG.md CHANGES.rst CHANGES CHANGELOG HISTORY.rst NEWS changelog/1.bugfix changelog.d/1.md newsfragments/1.feature.rst .changeset/a.md LICENSE LICENSE-MIT COPYING NOTICE AUTHORS CONTRIBUTING.md SECURITY.md x/README.md examples/README.md man/a.1 notes.txt a.adoc UPGRADING.md releasenotes/a.yaml website/index.html",
	},
	schemas.ClassVendored: {
		"any": "vendor/x/a.go vendor/x/a_test.go vendor/modules.txt node_modules/x/index.js third_party/x/a.c third_party/googletest/test/a.cc deps/x/a.c .yarn/releases/yarn.cjs Pods/x/a.m pip/_vendor/x/tests/a.py vendor/x/README.md",
	},
	schemas.ClassGenerated: {
		"any": "api/a.pb.go a_pb2.py src/__generated__/a.ts dist/index.js packages/x/dist/a.mjs a.min.js Foo.Designer.cs",
	},
}

func TestFile(t *testing.T) {
	for want, groups := range paths {
		for language, list := range groups {
			for _, p := range strings.Fields(list) {
				t.Run(string(want)+"/"+language+"/"+p, func(t *testing.T) {
					if got := classify.File(p, nil); got != want {
						t.Errorf("File(%q) = %s, want %s", p, got, want)
					}
				})
			}
		}
	}
}

func TestFileByContent(t *testing.T) {
	for _, c := range []struct {
		name, path, content string
		want                schemas.FileClass
	}{
		{"Go mark", "x/zz.go", "// Code generated by stringer; DO NOT EDIT.\n\npackage x\n", schemas.ClassGenerated},
		{"mark of another tool", "x/zz.ts", "/* eslint-disable */\n// @generated by protobuf-ts\n", schemas.ClassGenerated},
		{"automatically generated", "x/zz.c", "/* This file is automatically generated. */\n", schemas.ClassGenerated},
		{"the mark too far down", "x/zz.js", strings.Repeat("// line\n", 40) + "// @generated\n", schemas.ClassSource},
		{"a program that writes the mark", "gen/main.py", "import os\n\ndef write(f):\n    pass\n", schemas.ClassSource},
		{"generated test", "a_test.go", "// Code generated by x. DO NOT EDIT.\n", schemas.ClassTest},
		{"generated documentation", "docs/a.md", "<!-- this file is auto-generated -->\n", schemas.ClassDoc},
		{"Rust test module", "src/test.rs", "use super::*;\n#[test]\nfn a() {}\n", schemas.ClassTest},
		{"Rust module named test", "src/test.rs", "pub fn run_tests() {}\n", schemas.ClassSource},
		{"Rust source with tests inside", "src/a.rs", "fn a() {}\n#[cfg(test)]\nmod tests {\n#[test]\nfn b() {}\n}\n", schemas.ClassSource},
		{"very long first line", "x/zz.go", strings.Repeat("x", 1<<20), schemas.ClassSource},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := classify.File(c.path, []byte(c.content)); got != c.want {
				t.Errorf("File(%q) = %s, want %s", c.path, got, c.want)
			}
		})
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ path, content, want string }{
		{"a.go", "", "Go"}, {"a.js", "", "JavaScript"}, {"a.mjs", "", "JavaScript"}, {"a.ts", "", "TypeScript"}, {"a.tsx", "", "TSX"},
		{"a.py", "", "Python"}, {"A.java", "", "Java"}, {"a.kt", "", "Kotlin"}, {"build.gradle.kts", "", "Gradle Kotlin DSL"}, {"a.scala", "", "Scala"},
		{"a.rs", "", "Rust"}, {"a.c", "", "C"}, {"a.cc", "", "C++"}, {"a.hpp", "", "C++"}, {"A.cs", "", "C#"},
		{"a.php", "", "PHP"}, {"a.rb", "", "Ruby"}, {"a.swift", "", "Swift"}, {"dir/Makefile", "", "Makefile"},
		{"a.h", "#include <vector>\nnamespace x { template <class T> class Y { public: Y(); }; }\n", "C++"},
		{"run", "#!/usr/bin/env python3\nprint(1)\n", "Python"},
		{"a.unknown-extension", "", ""}, {"noextension", "", ""}, {"", "", ""},
	} {
		var content []byte
		if c.content != "" {
			content = []byte(c.content)
		}
		if got := classify.Language(c.path, content); got != c.want {
			t.Errorf("Language(%q) = %q, want %q", c.path, got, c.want)
		}
	}
}

func TestIsBinary(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          bool
	}{
		{"empty", "", false},
		{"text", "a\r\n\xff", false},
		{"NUL", "a\x00b", true},
		{"NUL at the limit", strings.Repeat("a", 7999) + "\x00", true},
		{"NUL after the limit", strings.Repeat("a", 8000) + "\x00", false},
	} {
		if got := classify.IsBinary([]byte(c.content)); got != c.want {
			t.Errorf("%s: IsBinary = %v, want %v", c.name, got, c.want)
		}
	}
}

// FuzzFile only looks for panics and unknown classes.
func FuzzFile(f *testing.F) {
	f.Add("src/main/java/ATest.java", []byte("x"))
	f.Add("/", []byte(nil))
	f.Add("spec/", []byte("\n\n\n"))
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		if _, ok := paths[classify.File(path, content)]; !ok {
			t.Errorf("File(%q) is of no known class", path)
		}
	})
}
