package infer

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"crossswe/build/internal/detect"
	"crossswe/internal/golden"
	"crossswe/schemas"
)

func javaDep() detect.Repo {
	return repo("x/rope", "rope", map[string]string{
		".github/workflows/ci.yml": "java-version: '11'\n",
		"pom.xml": `<project><parent><groupId>out.side</groupId><artifactId>parent</artifactId><version>7-SNAPSHOT</version></parent>
<groupId>example.knot</groupId><artifactId>rope-root</artifactId><version>1.4-SNAPSHOT</version><packaging>pom</packaging>
<modules><module>rope</module><module>rope-bom</module></modules><properties><java.version>1.7</java.version></properties>
<profiles><profile><id>late</id><activation><jdk>[16,)</jdk></activation></profile></profiles></project>`,
		"rope/pom.xml":     `<project><parent><groupId>example.knot</groupId><artifactId>rope-root</artifactId><version>1.4-SNAPSHOT</version></parent><artifactId>rope</artifactId></project>`,
		"rope-bom/pom.xml": `<project><parent><groupId>example.knot</groupId><artifactId>rope-root</artifactId><version>1.4-SNAPSHOT</version></parent><artifactId>rope-bom</artifactId><packaging>pom</packaging></project>`,
		"rope/src/test/java/example/knot/RopeTest.java": "class RopeTest { @Test void x() {} }\n",
	}, "rope/src/test/java/example/knot/RopeTest.java")
}

func javaApp() detect.Repo {
	return repo("x/net", "net", map[string]string{
		".github/workflows/ci.yml": "java: [8, 11, 17]\n",
		"pom.xml": `<project><groupId>example.net</groupId><artifactId>net</artifactId><version>2</version><properties><rope>1.3</rope></properties>
<dependencyManagement><dependencies><dependency><groupId>example.knot</groupId><artifactId>rope-bom</artifactId><version>${rope}.1</version><type>pom</type><scope>import</scope></dependency></dependencies></dependencyManagement>
<dependencies><dependency><groupId>example.knot</groupId><artifactId>rope</artifactId></dependency></dependencies></project>`,
		"src/test/java/example/net/NetTest.java":  "class NetTest { @Test void x() {} }\n",
		"src/test/java/example/net/MeshTest.java": "class MeshTest { @Test void x() {} }\n",
	}, "src/test/java/example/net/NetTest.java", "src/test/java/example/net/MeshTest.java")
}

func javaOptions(image string) Options {
	o := options()
	o.Images.Java = image
	return o
}

func TestJavaSpec(t *testing.T) {
	for name, image := range map[string]string{"java": "maven:3-eclipse-temurin-%s", "java on one JDK": "maven:3-eclipse-temurin-21"} {
		t.Run(name, func(t *testing.T) {
			repos := []detect.Repo{javaApp(), javaDep()}
			spec, err := Spec(candidate(repos...), repos, javaOptions(image))
			if err != nil {
				t.Fatal(err)
			}
			if err := spec.Validate(); err != nil {
				t.Errorf("the spec is not valid: %v", err)
			}
			spec.Files = slices.DeleteFunc(spec.Files, func(f schemas.SpecFile) bool { return strings.HasSuffix(f.Path, ".sh") })
			var got bytes.Buffer
			enc := yaml.NewEncoder(&got)
			enc.SetIndent(2)
			if err := enc.Encode(spec); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, strings.ReplaceAll(name, " ", "-")+".yaml", got.String())
		})
	}
}

func TestGradleIsRefused(t *testing.T) {
	gradle := repo("z/weft", "weft", map[string]string{"build.gradle.kts": "", "src/test/kotlin/WeftTest.kt": "class WeftTest { @Test fun x() {} }\n"}, "src/test/kotlin/WeftTest.kt")
	repos := []detect.Repo{javaDep(), gradle}
	_, err := Spec(candidate(repos...), repos, javaOptions("maven:3-eclipse-temurin-%s"))
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Reason != schemas.BuildUnsupported || !strings.Contains(refusal.Detail, "build.gradle.kts") {
		t.Errorf("got %v, want a refusal that names build.gradle.kts", err)
	}
}
