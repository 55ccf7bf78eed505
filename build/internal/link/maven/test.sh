#!/bin/sh
# test.sh REPORT MODULE CLASSES [OPTION...], in the directory of a repository's
# outermost POM, runs test classes of a module and joins their reports. What an
# earlier state compiled is removed first: old compilers of Maven do not see
# that a sibling's archive has changed.
report=$1 module=$2 classes=$3
shift 3
home=/var/crossswe/maven
find . -name pom.xml -not -path '*/target/*' -not -path '*/src/*' | while read -r pom; do
	target=$(dirname "$pom")/target
	rm -rf "$target/classes" "$target/test-classes" "$target/maven-status" \
		"$target/generated-sources" "$target/generated-test-sources" "$target/surefire-reports" "$target/failsafe-reports"
done
rm -f "$report"
sh $home/mvn.sh test -pl "$module" -am "-Dtest=$classes" -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false \
	-Dsurefire.rerunFailingTestsCount=0 -DtrimStackTrace=false "$@"
code=$?
set -- "$module"/target/surefire-reports/TEST-*.xml
if [ -e "$1" ]; then
	{
		echo '<testsuites>'
		for file; do sed '1s/^.*<?xml[^>]*?>//' "$file"; done
		echo '</testsuites>'
	} >"$report"
fi
exit $code
