@echo off
rem Runs the command line of the installed extension. ROLLCALL_NODE is set in the terminals of VS Code.
setlocal
set ELECTRON_RUN_AS_NODE=1
if not defined ROLLCALL_NODE set ROLLCALL_NODE=node
"%ROLLCALL_NODE%" "%~dp0..\..\dist\cli.js" %*
