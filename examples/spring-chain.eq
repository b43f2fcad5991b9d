# M x'' + K x = 0 in arrays: N masses in a row between two walls, K = tridiag(-k, 2k, -k); one of them is pulled aside.
# Cellier, Numerical Simulation of Dynamic Systems IX (2013), Velocity-free Models. Conservative, so ge3 keeps its energy:
#   ordinate run spring-chain.eq -m ge3 --step 0.05
param N = 20, m = 1 [kg], k = 1 [N/m]

m*x[1]'' = -k*(2*x[1] - x[2])
for i in 2..N-1: m*x[i]'' = -k*(2*x[i] - x[i-1] - x[i+1])
m*x[N]'' = -k*(2*x[N] - x[N-1])

init x[1] = 1 [m], x[1]' = 0 [m/s]
for i in 2..N: init x[i] = 0 [m]
for i in 2..N: init x[i]' = 0 [m/s]
run 0 .. 50
