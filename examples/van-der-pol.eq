# The van der Pol oscillator: a limit cycle with slow and fast parts; mu = 1000 is a stiff test problem.
# van der Pol, Phil. Mag. 2 (1926) 978-992.
param mu = 5

x'' = mu*(1 - x^2)*x' - x

init x = 2, x' = 0
run 0 .. 50
