# Sourced by gradlew, in a subshell: where the wrapper's Gradle is not installed yet and its official download cannot be
# reached, InstallGradle.java assembles it. Starts no process where it is installed. Takes APP_HOME, JAVACMD, die and
# the arguments from gradlew.

# The folder that the wrapper gives the distributionUrl of gradle-wrapper.properties: its MD5 in base 36, which sh cannot
# compute. With another URL this may be out of date, which costs the start of a JVM and nothing else.
slot=bhs2wmbdwecv87pi65oeuq5iu

zip=
while IFS='=' read -r key value
do
    case $key in
      distributionUrl) zip=${value##*/} ;;
    esac
done < "$APP_HOME/gradle/wrapper/gradle-wrapper.properties"

# The Gradle user home, in the wrapper's order: option, system property, environment, default.
option=
property=
next=
for arg in $JAVA_OPTS $GRADLE_OPTS "$@"
do
    case $next$arg in
      next*)                            option=$arg ; next= ;;
      -g | --gradle-user-home)          next=next ;;
      --gradle-user-home=*)             option=${arg#*=} ;;
      -g*)                              option=${arg#-g} ;;
      -Dgradle.user.home=*)             property=${arg#*=} ;;
    esac
done
set -- "${option:-${property:-$GRADLE_USER_HOME}}"

if [ ! -f "${1:-$HOME/.gradle}/wrapper/dists/${zip%.zip}/$slot/$zip.ok" ]
then
    # Answers only where there is a compiler, which a program in a source file needs.
    jdk=$( "$JAVACMD" --describe-module jdk.compiler 2>/dev/null )
    jdk=${jdk#jdk.compiler@}
    jdk=${jdk%%[!0-9]*}
    if [ "${jdk:-0}" -lt 17 ]
    then
        die "ERROR: ${zip%.zip} is not installed, and installing it takes a JDK 17 or newer, which '$JAVACMD' is not:
$( "$JAVACMD" -version 2>&1 )

Please set the JAVA_HOME variable in your environment to the location of a JDK 17."
    fi
    "$JAVACMD" "$APP_HOME/gradle/central/InstallGradle.java" "$APP_HOME" "$1" || exit
fi
