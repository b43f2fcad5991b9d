# The springs of dae-spring.eq as a stiff ODE: the algebraic equation is given a small derivative.
# Königsmarková, report 2014V005, sec. 4 (21).
param k1 = 5 [N/m], k2 = 10 [N/m], M = 0.2 [kg]
param xi = 0.001 [N*s/m]
param a = 1 [N], b = 0.5 [rad/s]
input u = a*cos(b*t) [N]

x2'    = v2
v2'    = k2/M*x1 - k2/M*x2 + u/M
xi*x1' = -(k1 + k2)*x1 + k2*x2

init x2 = 1 [m], v2 = 0 [m/s], x1 = 2/3 [m]
run 0 .. 2
