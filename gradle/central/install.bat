@rem Called by gradlew.bat: does what install.sh says. Knows the Gradle user home from the environment only.
setlocal
set USER_HOME=%GRADLE_USER_HOME%
if "%USER_HOME%"=="" set USER_HOME=%USERPROFILE%\.gradle

if exist "%USER_HOME%\wrapper\dists\gradle-8.7-bin\bhs2wmbdwecv87pi65oeuq5iu\gradle-8.7-bin.zip.ok" exit /b 0
"%JAVA_EXE%" "%APP_HOME%\gradle\central\InstallGradle.java" "%APP_HOME%"
exit /b %ERRORLEVEL%
