package e2e

const mavenWorkflow = `
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/setup-java@v5
        with: {distribution: temurin, java-version: '17'}
`

// knotParent is the start of a POM: it pins what Maven 3 would choose older.
const knotParent = `
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example.knot</groupId>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <build><pluginManagement><plugins>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
  </plugins></pluginManagement></build>
`

// netPOM is the root of the consumer: a BOM of its own pins a release of the
// provider that is not the checkout's version, in a property that a reader of
// POMs cannot know.
const netPOM = knotParent + `  <artifactId>net-parent</artifactId>
  <version>2.0.0</version>
  <packaging>pom</packaging>
  <modules><module>bom</module><module>net</module></modules>
  <dependencyManagement><dependencies><dependency>
    <groupId>example.knot</groupId><artifactId>net-bom</artifactId><version>2.0.0</version><type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>
</project>
`

const netBOM = `
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example.knot</groupId><artifactId>net-bom</artifactId><version>2.0.0</version><packaging>pom</packaging>
  <properties><release>1.3.</release><rope.version>${release}${patch}</rope.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>example.knot</groupId><artifactId>rope</artifactId><version>${rope.version}</version></dependency>
  </dependencies></dependencyManagement>
  <profiles><profile><id>always</id><activation><property><name>!never</name></property></activation>
    <properties><patch>7</patch></properties></profile></profiles>
</project>
`

// netModule is the module of the consumer that uses the provider. The version
// comes from the BOM.
const netModule = `
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>example.knot</groupId><artifactId>net-parent</artifactId><version>2.0.0</version></parent>
  <artifactId>net</artifactId>
  <dependencies>
    <dependency><groupId>example.knot</groupId><artifactId>rope</artifactId></dependency>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.14.4</version><scope>test</scope></dependency>
  </dependencies>
</project>
`

// netTrap takes the provider from an archive in the consumer's own checkout.
const netTrap = `
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>example.knot</groupId><artifactId>net-parent</artifactId><version>2.0.0</version></parent>
  <artifactId>net</artifactId>
  <dependencies>
    <dependency><groupId>example.knot</groupId><artifactId>rope</artifactId><version>1.3.7</version>
      <scope>system</scope><systemPath>${project.basedir}/lib/rope-1.3.7.jar</systemPath></dependency>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.14.4</version><scope>test</scope></dependency>
  </dependencies>
</project>
`

const ropePOM = knotParent + `  <artifactId>rope</artifactId>
  <version>1.4.0-SNAPSHOT</version>
  <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
</project>
`

// maven is the pair of the Java ecosystem.
var maven = ecosystem{
	name: "maven",
	provider: change{
		repo: "knot-example/rope",
		base: map[string]string{
			".github/workflows/ci.yml": mavenWorkflow, ".gitignore": "out/\n", "pom.xml": ropePOM,
			"src/main/java/example/knot/Rope.java": `
package example.knot;

/** A rope. */
public final class Rope {
  private Rope() {}

  /** Ties two ends. */
  public static String tie(String a, String b) {
    return a + "-" + b;
  }
}
`,
			"src/test/java/example/knot/RopeTest.java": `
package example.knot;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RopeTest {
  @Test
  public void ties() {
    assertEquals("a-b", Rope.tie("a", "b"));
  }
}
`,
		},
		head: map[string]string{
			"src/main/java/example/knot/Rope.java": `
package example.knot;

/** A rope. */
public final class Rope {
  private Rope() {}

  /** Ties two ends. */
  public static String tie(String a, String b) {
    return a + "-" + b;
  }

  /** Ties an end to itself, some times over. */
  public static String loopKnot(String a, int times) {
    return "(" + a.repeat(times) + ")";
  }
}
`,
			"src/test/java/example/knot/RopeTest.java": `
package example.knot;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RopeTest {
  @Test
  public void ties() {
    assertEquals("a-b", Rope.tie("a", "b"));
  }

  @Test
  public void loopsTwice() {
    assertEquals("(aa)", Rope.loopKnot("a", 2));
  }
}
`,
		},
	},
	consumer: change{
		repo: "knot-example/net",
		base: map[string]string{
			".github/workflows/ci.yml": mavenWorkflow, ".gitignore": "out/\n",
			"pom.xml": netPOM, "bom/pom.xml": netBOM, "net/pom.xml": netModule,
			"net/src/main/java/example/net/Net.java": `
package example.net;

import example.knot.Rope;

/** A net. */
public final class Net {
  private Net() {}

  /** Weaves a net of one mesh. */
  public static String weave(String a) {
    return "[" + Rope.tie(a, a) + "]";
  }
}
`,
			"net/src/test/java/example/net/NetTest.java": `
package example.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NetTest {
  @Test
  void weaves() {
    assertEquals("[a-a]", Net.weave("a"));
  }
}
`,
		},
		head: map[string]string{
			"net/src/main/java/example/net/Net.java": `
package example.net;

import example.knot.Rope;

/** A net. */
public final class Net {
  private Net() {}

  /** Weaves a net of one mesh. */
  public static String weave(String a) {
    return "[" + Rope.tie(a, a) + "]";
  }

  /** Weaves a net of looped meshes. */
  public static String weaveLooped(String a, int times) {
    return "[" + Rope.loopKnot(a, times) + "]";
  }
}
`,
			"net/src/test/java/example/net/NetTest.java": `
package example.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetTest {
  @Test
  void weaves() {
    assertEquals("[a-a]", Net.weave("a"));
  }

  @Nested
  class Looped {
    @ParameterizedTest
    @ValueSource(strings = {"a", "b c"})
    void weavesLoops(String end) {
      assertEquals("[(" + end + end + ")]", Net.weaveLooped(end, 2));
    }
  }
}
`,
		},
	},
	joint: []string{
		"knot-example/net::net/example.net.NetTest::Looped > weavesLoops(String)[1]",
		"knot-example/net::net/example.net.NetTest::Looped > weavesLoops(String)[2]",
	},
	trap: map[string]string{"net/pom.xml": netTrap, "net/lib/rope-1.3.7.jar": "a release\n"},
	void: "as an archive in the consumer's checkout",
}
