# A nuclear reactor of zero power, point model with six groups of delayed neutrons, after a step of reactivity.
# Königsmarková, report 2014V005, sec. 5.3 (29); data of U-235 after Keepin, chosen here.
input rho = 0.001                         # reactivity, which control rods set; in real time held over a sample
param tau = 5e-5 [s]
param b1 = 0.000215, lambda1 = 0.0124 [1/s]
param b2 = 0.001424, lambda2 = 0.0305 [1/s]
param b3 = 0.001274, lambda3 = 0.111  [1/s]
param b4 = 0.002568, lambda4 = 0.301  [1/s]
param b5 = 0.000748, lambda5 = 1.14   [1/s]
param b6 = 0.000273, lambda6 = 3.01   [1/s]
param beta = b1 + b2 + b3 + b4 + b5 + b6
kef = 1/(1 - rho)

P'  = (kef*(1 - beta) - 1)/tau*P + (lambda1*c1 + lambda2*c2 + lambda3*c3 +
                                    lambda4*c4 + lambda5*c5 + lambda6*c6)
c1' = b1*kef/tau*P - lambda1*c1
c2' = b2*kef/tau*P - lambda2*c2
c3' = b3*kef/tau*P - lambda3*c3
c4' = b4*kef/tau*P - lambda4*c4
c5' = b5*kef/tau*P - lambda5*c5
c6' = b6*kef/tau*P - lambda6*c6

init P  = 1                               # the equilibrium for rho = 0
init c1 = b1/(tau*lambda1), c2 = b2/(tau*lambda2), c3 = b3/(tau*lambda3)
init c4 = b4/(tau*lambda4), c5 = b5/(tau*lambda5), c6 = b6/(tau*lambda6)
run 0 .. 30
